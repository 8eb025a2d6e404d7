// libsched_what_if.hpp -- would a job start now, and if not, what would help? For C++17, beside
// libsched.hpp, whose rules hold: nothing throws, and what owns something is a value.
//
//     lsched::start_question question;
//     question.with_offer = true;
//     auto answer = lsched::would_start(cluster, job, question);
//     if (answer && answer->offer.change != LSCHED_OFFER_NONE)
//         lsched::apply(cluster, answer->offer);
#ifndef LIBSCHED_WHAT_IF_HPP
#define LIBSCHED_WHAT_IF_HPP

#include "libsched.hpp"

namespace lsched {

// A question: the options of the call, and what the answer is to have.
struct start_question {
    lsched_would_start_opts opts = make<lsched_would_start_opts>();
    bool with_plan = false;  // the decisions that give the job its places
    bool with_offer = false; // the cheapest single change that would start the job
};
// The answer. The pointers of `answer` are null: what they would point to are the other members.
struct start_answer {
    lsched_would_start_answer answer = make<lsched_would_start_answer>();
    lsched_waiting waiting = make<lsched_waiting>(); // code LSCHED_WAIT_NONE: the job does not wait
    lsched_offer offer = make<lsched_offer>(); // change LSCHED_OFFER_NONE: not asked for, or none
    std::optional<plan> decisions;             // if with_plan was set
};

namespace detail {
inline result<start_answer> ask_start(const cluster &on, lsched_id job, const lsched_job_desc *desc,
                                      const start_question &question) {
    start_answer found;
    lsched_would_start_opts opts = question.opts;
    auto raw = make<lsched_would_start_answer>();
    error e;
    if (question.with_plan) opts.flags |= LSCHED_WOULD_START_PLAN;
    raw.waiting = &found.waiting;
    if (question.with_offer) raw.offer = &found.offer;
    const std::int32_t code = lsched_would_start(on.get(), job, desc, &opts, &raw, e.record());
    if (code < 0) return e.with(code);
    if (raw.plan) found.decisions = plan(raw.plan);
    raw.waiting = nullptr;
    raw.offer = nullptr;
    raw.plan = nullptr;
    found.answer = raw;
    return found;
}
} // namespace detail

// What the next cycle would do for a job, or for a described job. Nothing is changed.
inline result<start_answer> would_start(const cluster &on, lsched_id job,
                                        const start_question &question = {}) {
    return detail::ask_start(on, job, nullptr, question);
}
inline result<start_answer> would_start(const cluster &on, const lsched_job_desc &job,
                                        const start_question &question = {}) {
    return detail::ask_start(on, 0, &job, question);
}
// Makes the change of an offer; the next cycle then starts the job.
inline result<void> apply(cluster &on, const lsched_offer &offer) {
    error e;
    const std::int32_t code = lsched_offer_apply(on.get(), &offer, e.record());
    if (code < 0) return e.with(code);
    return {};
}

} // namespace lsched

#endif

"""`lsched speeds`: shares by speed, and what a wrong file or word says."""
from lsched_program import ProgramTest, main

TABLE, JOBS = "examples/speeds/speeds.csv", "examples/speeds/jobs.csv"
MODELS = ("--models", "v100=4,k80=8")


class Speeds(ProgramTest):
    def complains(self, text, *words, table=TABLE, jobs=JOBS, models=MODELS, code=3):
        said = self.complaint(code, "speeds", *models, *words, table, jobs)
        self.assertIn(text, said)
        return said

    def jobs(self, text):
        return self.write("jobs.csv", text)

    def table(self, text):
        return self.write("speeds.csv", text)

    def test_shares_are_valid_and_nobody_has_less_than_alone(self):
        for policy in ("max-min", "makespan", "cost"):
            got = self.lsched_json("speeds", *MODELS, "--prices", "v100=3,k80=0.5", "--policy", policy,
                                   TABLE, JOBS)
            self.assertEqual(got["policy"], policy)
            self.assertGreaterEqual(got["least"], 0.999999)
            used = {"v100": 0, "k80": 0}
            for job in got["jobs"]:
                self.assertGreaterEqual(job["throughput"], job["alone"] - 2e-6)
                self.assertLessEqual(sum(job["shares"].values()), 1.000003)
                for model, share in job["shares"].items():
                    used[model] += share * job["devices"]
            self.assertLessEqual(used["v100"], 4.0001)
            self.assertLessEqual(used["k80"], 8.0001)

    def test_each_policy_is_the_best_at_what_it_wants(self):
        got = {policy: self.lsched_json("speeds", *MODELS, "--prices", "v100=3,k80=0.5", "--policy",
                                        policy, TABLE, JOBS) for policy in ("max-min", "makespan", "cost")}
        self.assertLess(got["makespan"]["makespan"], got["max-min"]["makespan"])
        self.assertLess(got["cost"]["cost"], got["max-min"]["cost"])

    def test_unknown_speeds_are_named(self):
        out, _ = self.lsched("speeds", *MODELS, TABLE, JOBS)
        self.assertIn("Nobody has measured these speeds, which count as 1.0:", out)
        self.assertIn("  speech, 1 device, on k80", out)
        table = self.table("kind,devices,v100,k80\nimage,1,,2\n")
        jobs = self.jobs("name,kind,devices\na,image,1\n")
        got = self.lsched_json("speeds", *MODELS, table, jobs)
        self.assertEqual(got["unknown"], [{"kind": "image", "devices": 1, "model": "v100"}])
        self.assertEqual(got["jobs"][0]["throughput"], 2)

    def test_the_reference_makes_rows_relative(self):
        table = self.table("kind,devices,v100,k80\nimage,1,,500\nvideo,1,3000,1000\n")
        jobs = self.jobs("name,kind,devices\na,image,1\nb,video,1\n")
        got = self.lsched_json("speeds", *MODELS, "--reference", "k80", table, jobs)
        self.assertEqual([job["alone"] for job in got["jobs"]], [1, 3])
        self.complains("--reference: 'h100' is not one of the models", "--reference", "h100", code=2)

    def test_a_row_that_the_reference_cannot_divide(self):
        for cell, got in (("0", "got 0"), ("", "got nothing")):
            table = self.table(f"kind,devices,v100,k80\nimage,1,2,1\nvideo,1,{cell},1000\n")
            self.complains("speeds.csv:3:1: v100: expected a speed above 0 in the column of --reference, by which the "
                           f"row is divided, {got}", "--reference", "v100", table=table)

    def test_a_policy_of_cost_needs_each_price(self):
        self.complains("--prices: expected a price of each model for the policy cost, got none of 'v100'",
                       "--policy", "cost", "--prices", "k80=1", code=2)
        got = self.lsched_json("speeds", *MODELS, TABLE, self.jobs("name,kind,devices\na,image,1\n"))
        self.assertEqual((got["makespan"], got["cost"]), (None, None))

    def test_a_misspelt_column_of_jobs(self):
        for word, meant in (("wieght", "weight"), ("weights", "weight"), ("wrok", "work"), ("leest", "least")):
            self.complains(f"jobs.csv:1:19: header: '{word}' is no column of jobs; did you mean '{meant}'?",
                           jobs=self.jobs(f"name,kind,devices,{word}\na,image,1,5\n"))
        self.lsched("speeds", *MODELS, TABLE, self.jobs("name,kind,devices,owner\na,image,1,ann\n"))

    def test_a_job_cannot_state_a_speed(self):
        for column in ("speed", "v100"):
            jobs = self.jobs(f"name,kind,devices,{column}\na,image,1,99\n")
            self.complains("jobs.csv:1:19: speeds are in the table only, because a job cannot state its "
                           "own", jobs=jobs)

    def test_rounds_follow_the_shares(self):
        got = self.lsched_json("speeds", "--models", "v100=2,k80=2", "--rounds", "1000", "--restart",
                               "0.03", self.table("kind,devices,v100,k80\na,1,4,1\nb,1,2,1.5\n"),
                               self.jobs("name,kind,devices\n" +
                                         "".join(f"j{i},{'ab'[i % 2]},1\n" for i in range(8))))
        self.assertEqual(got["rounds"]["played"], 1000)
        self.assertEqual(got["rounds"]["idle"], 0)
        self.assertGreaterEqual(got["rounds"]["least"], 0.98 * got["least"])
        self.assertLess(got["rounds"]["starts"], 1000)

    def test_wrong_words(self):
        self.complains("expected --models", models=(), code=2)
        self.complains("--models: expected NAME=NUMBER, got 'v100'", models=("--models", "v100"), code=2)
        self.complains("--models: expected a whole number of devices of 'v100'",
                       models=("--models", "v100=1.5"), code=2)
        self.complains("--models: 'a' is there twice", models=("--models", "a=1,a=2"), code=2)
        self.complains("--models: at most 16 models",
                       models=("--models", ",".join(f"m{i}=1" for i in range(17))), code=2)
        self.complains("--prices: 'h100' is not one of the models", "--prices", "h100=1", code=2)
        self.complains("--prices: expected NAME=NUMBER, got 'v100=-1'", "--prices", "v100=-1", code=2)
        self.complains("--policy: expected max-min, makespan or cost", "--policy", "fair", code=2)
        self.complains("--restart: expected a part of a round", "--restart", "2", code=2)
        for option, value in (("--restart", "0.1"), ("--keep", "10")):
            self.complains(f"{option} has an effect only with --rounds N", option, value, code=2)
        self.complains("h100", models=("--models", "h100=4"))

    def test_wrong_files(self):
        head = "kind,devices,v100,k80\n"
        for row, text in (("image,1,-1,2", ":2:9: a speed: expected a number of at least 0, got '-1'"),
                          ("image,1,nan,2", ":2:9: a speed: expected a number, got 'nan'"),
                          ("image,1,1e9,2", ":2:9: a speed: expected at most 1000000"),
                          ("image,0,1,2", ":2:7: devices: expected"),
                          ("image,1,1,2\nimage,1,1,2", ":3:1: kind: expected each kind and number"),
                          (",1,1,2", ":2:1: kind: expected a name")):
            self.complains("speeds.csv" + text, table=self.table(f"{head}{row}\n"))
        head = "name,kind,devices,weight,work,least\n"
        for row, text in (("a,image,1,-1,,", ":2:11: weight: expected a number of at least 0"),
                          ("a,image,1,0,,", ":2:11: weight: expected more than 0; leave the job out"),
                          ("a,image,1,,x,", ":2:12: work: expected a number, got 'x'"),
                          ("a,image,1,,,1\na,image,1,,,", ":3:1: name: expected each name once"),
                          ("a,image,16,,,", ":2:1: a job of 16 devices can run nowhere"),
                          ("b,image,1,,,\na,image,1,9e9,,", ":3:1: weight of a job is 9e+09"),
                          ("a,image,1,,,11", ": not every job can have its `least`")):
            self.complains("jobs.csv" + text, jobs=self.jobs(f"{head}{row}\n"))
        self.complains("jobs.csv:2:1: work of a job is 0; the policy makespan needs at least 1e-06",
                       "--policy", "makespan", jobs=self.jobs("name,kind,devices\na,image,1\n"))
        self.complains("the policy cost needs a model with a price above 0", "--policy", "cost")

    def test_work_ends_early_and_no_job_is_no_error(self):
        got = self.lsched_json("speeds", *MODELS, "--work", "1", TABLE, JOBS)
        self.assertTrue(got["partial"])
        self.assertEqual(got["least"], 1)
        got = self.lsched_json("speeds", *MODELS, "--rounds", "3", TABLE, self.jobs("name,kind,devices\n"))
        self.assertEqual((got["jobs"], got["rounds"]["idle"]), ([], 36))


main()

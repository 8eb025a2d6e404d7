"""The published result, on the published input: what must hold for `lsched simulate openb`."""
from lsched_program import NODES, TASKS, ProgramTest, main


class Figures(ProgramTest):
    def simulate(self, policy, seeds, *more):
        got = self.lsched_json("simulate", "openb", "--nodes", NODES, "--tasks", TASKS,
                               "--policy", policy, "--seeds", str(seeds), *more)
        return got["unallocated_gpu_percent"]["100"]["mean"]

    def test_best_fit_and_fgd_reproduce_the_paper(self):
        for policy, published in (("best-fit", 7.14), ("fgd", 4.77)):
            self.assertAlmostEqual(self.simulate(policy, 10), published, delta=0.5)

    def test_least_fragmentation_loses_least_whatever_the_order_of_nodes(self):
        own = self.simulate("least-fragmentation", 30)
        self.assertLessEqual(own, 4.72)
        self.assertLessEqual(own, self.simulate("best-fit", 30) - 2.1)
        self.assertAlmostEqual(own, self.simulate("least-fragmentation", 30, "--shuffle-nodes"),
                               delta=0.1)


main()

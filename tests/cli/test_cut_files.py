"""Files whose rows are lines, cut off at every byte: a cut inside a line is always an error."""
from lsched_program import ProgramTest, main

WIDE = "a,60,60\nb,50,55\n"
LONG = "time,name,value\n0,a,16\n300,a,12\n"
READERS = (
    ("instance of bin packing", ("pack",), "2 10\n0 0 5 6\n1 2 6 10\n"),
    ("wide series", ("pack",), WIDE), ("wide series to forecast", ("forecast",), WIDE),
    ("long series", ("pack",), LONG), ("long series to forecast", ("forecast",), LONG),
    ("jobs for MIG", ("pack",), "seed,job,true_profile,requested_profile,duration_s\n0,0,1g,2g,60\n"),
    ("log", ("simulate", "swf", "--policy", "fcfs"), "; MaxProcs: 4\n1 0 0 10 2 -1 -1 2 10 -1 1 1 1 -1 1 -1 -1 -1\n"),
    ("jobs of Philly", ("simulate", "philly", "--queues", "one", "--policy", "first-fit"),
     "timestamp,duration,num_gpus,cluster\n2017-10-09 07:01:55,100,1,a\n"),
    ("accounting", ("slurm", "replay", "--procs", "20", "--policy", "fcfs", "--sacct"),
     "JobID|Submit|Start|Elapsed|AllocTRES\n1|2026-01-05T08:00:00|2026-01-05T08:00:00|00:10:00|cpu=16\n"),
    ("nodes of scontrol", ("slurm", "check", "--dump"), "NodeName=a CPUTot=16 State=IDLE\n   RealMemory=1000\n"),
)


class CutFiles(ProgramTest):
    def test_every_cut_inside_a_line(self):
        for name, words, text in READERS:
            self.lsched(*words, self.write("whole", text))
            for n in range(1, len(text)):
                if text[n - 1] == "\n":
                    continue
                with self.subTest(name=name, cut=text[:n]):
                    said = self.lsched(*words, self.write("cut", text[:n]), expect=3)[1]
                    self.assertIn("cut", said)


main()

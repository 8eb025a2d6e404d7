"""lsched forecast: layouts of files, options, figures that follow by hand, and bad input."""
import random
import unittest

import lsched_program


class Forecast(lsched_program.ProgramTest):
    def file(self, text, name="samples.csv"):
        return self.write(name, text)

    def forecast(self, *words):
        return self.lsched_json("forecast", *words)

    def test_a_series_that_stays(self):
        rows = "".join(f"{600 * i},a,7\n" for i in range(300))
        got = self.forecast(self.file("time,name,value\n" + rows))
        self.assertEqual((got["series"], got["samples"], got["slots"], got["gaps"]), (1, 300, 300, 0))
        for point in got["forecasts"][0]["points"]:
            self.assertAlmostEqual(point["expected"], 7)
            self.assertEqual(point["by"], "last")
            for upper in point["upper"]:
                self.assertAlmostEqual(upper, 7, delta=0.05)
        self.assertEqual([h["seconds"] for h in got["horizons"]], [600, 3600, 21600, 86400])
        # origins from slot 201 on, targets below 300; no scale, because nothing changes
        self.assertEqual([h["targets"] for h in got["horizons"]], [100, 95, 65, 0])
        self.assertEqual(got["horizons"][0]["series_with_scale"], 0)
        self.assertEqual(got["horizons"][0]["quantiles"][2]["realised_risk"], 0)
        # what has no series or no target behind it is not known, and 0 would be perfect
        for horizon in got["horizons"]:
            self.assertIsNone(horizon["mase"])
            for quantile in horizon["quantiles"]:
                self.assertEqual((quantile["pinball"], quantile["coverage"]), (None, None))
                for key in ("realised_risk", "ratio", "ratio_low", "ratio_high"):
                    self.assertEqual(quantile[key] is None, horizon["targets"] == 0)
        out, _ = self.lsched("forecast", self.file("time,name,value\n" + rows))
        self.assertRegex(out, r"(?m)^ *24h +0 +- +0.5 +- +- +- +-$")

    def test_layouts_say_the_same(self):
        values = [i * 37 % 50 for i in range(288)]
        long_rows = "".join(f"{300 * i},w,{v}\n" for i, v in enumerate(values))
        wide = "w," + ",".join(map(str, values)) + "\n"
        table = "time,x,y\n" + "".join(f"{300 * i},{v - 1},1\n" if v else f"{300 * i},0,0\n"
                                       for i, v in enumerate(values))
        horizons = ("--slot", "5m", "--horizons", "5m,15m,1h,3h")
        first = self.forecast(self.file("time,name,value\n" + long_rows), *horizons)
        second = self.forecast(self.file(wide, "wide.csv"), *horizons)
        third = self.forecast(self.file(table, "w"), "--value", "x+y", *horizons)
        self.assertEqual(first, second)
        self.assertEqual(first, third)

    def test_calibration_of_noise(self):
        """Independent noise: the realised risk is the stated one, up to chance."""
        draw = random.Random(3)
        rows = "".join(f"s{k}," + ",".join(f"{draw.expovariate(1):.4f}" for _ in range(288)) + "\n"
                       for k in range(60))
        got = self.forecast(self.file(rows), "--slot", "5m", "--horizons", "5m,15m,30m,1h")
        for horizon in got["horizons"]:
            for quantile in horizon["quantiles"][1:]:
                # a quantile of 0.99 has two misses in a test part: bounds are wider on purpose
                least = 0.67 if quantile["quantile"] < 0.99 else 0.4
                self.assertTrue(least < quantile["ratio"] < 1.5, (horizon["seconds"], quantile))
                self.assertLessEqual(quantile["ratio_low"], quantile["ratio"])
                self.assertGreaterEqual(quantile["ratio_high"], quantile["ratio"])

    def test_late_samples_and_gaps(self):
        rows = "0,a,1\n600,a,2\n1200,a,3\n5,a,9\n6000,a,4\n"
        got = self.forecast(self.file("time,name,value\n" + rows))
        self.assertEqual((got["samples"], got["late"], got["slots"], got["gaps"]), (5, 0, 4, 7))

    def test_the_order_of_rows_says_nothing(self):
        rows = [f"{600 * i},{name},{i * k % 50}\n" for i in range(300) for name, k in (("a", 37), ("b", 11))]
        whole = self.forecast(self.file("time,name,value\n" + "".join(rows)))
        self.assertEqual(whole["late"], 0)
        head = rows[:2]  # the first rows name the series, in this order
        for order in (head + rows[:1:-1], head + random.Random(5).sample(rows[2:], len(rows) - 2)):
            self.assertEqual(self.forecast(self.file("time,name,value\n" + "".join(order))), whole)

    def test_samples_with_a_wrong_clock(self):
        good = [(1000000000 + 600 * i, i) for i in range(200)]
        for line, days, side, bad in ((202, 90, "after", good + [(good[-1][0] + 90 * 86400, 1)]),
                                      (2, 90, "after", [(good[-1][0] + 90 * 86400, 1)] + good),
                                      (102, 11574, "before", good[:100] + [(0, 1)] + good[100:]),
                                      (202, 38134, "after", good + [(4294967295, 1)] * 2)):
            text = "time,name,value\n" + "".join(f"{at},a,{value}\n" for at, value in bad)
            said = self.complaint(3, "forecast", self.file(text, "bad.csv"))
            self.assertIn(f"bad.csv:{line}:1: the time is {days} days {side} the ", said)
            self.assertIn("samples of 'a'", said)
            table = text.replace(",name", "").replace(",a,", ",")
            self.assertIn(f"t.csv:{line}:1: the time is {days} days {side}",
                          self.complaint(3, "forecast", "--value", "value", self.file(table, "t.csv")))
        months = "".join(f"{i * 30 * 86400},a,{i}\n" for i in range(12))
        self.assertEqual(self.forecast(self.file("time,name,value\n" + months))["samples"], 12)
        far = "".join(f"{at},a,1\n" for at in (0, 600, 4294967295, 4294967295))
        self.assertIn("bad.csv: the 4 samples of 'a' are in 7158279 slots; expected at most 1048576: correct a wrong time",
                      self.complaint(3, "forecast", self.file("time,name,value\n" + far, "bad.csv")))

    def test_a_request(self):
        got = self.forecast(self.file("time,name,value\n0,a,0\n"), "--request", "1300")
        self.assertAlmostEqual(got["forecasts"][0]["points"][0]["expected"], 1200)

    def test_text(self):
        path = self.file("time,name,value\n" + "".join(f"{600 * i},a,{i % 5}\n" for i in range(400)))
        out, _ = self.lsched("forecast", path)
        self.assertIn("1 series, 400 samples in 400 slots, 0 late", out)
        self.assertIn("realised / stated risk", out)

    def test_bad_input(self):
        good = self.file("time,name,value\n0,a,1\n")
        for text, words in (("time,name,value\n0,a,-1\n", ":2:5:"), ("time,name,value\n0,a,nan\n", ":2:5:"),
                            ("time,name,value\n0,a,inf\n", ":2:5:"), ("time,name,value\n-3,a,1\n", ":2:1:"),
                            ("time,name,value\n0,a,1\n999999999999,a,1\n", "slots"), ("", "expected")):
            self.assertIn(words, self.complaint(3, "forecast", self.file(text, "bad.csv")))
        for options in (["--slot", "0s"], ["--slot", "x"], ["--horizons", "1h"], ["--quantiles", "0.3"],
                        ["--quantiles", "2"], ["--test-from", "1.5"], ["--value", "+"]):
            self.complaint(2, "forecast", good, *options)
        self.assertIn("--slot: expected 1s to 1h, got '2h'", self.complaint(2, "forecast", good, "--slot", "2h"))
        self.assertIn("0.90 stands there twice", self.complaint(2, "forecast", good, "--quantiles", "0.9,0.90"))


if __name__ == "__main__":
    unittest.main()

"""Writes progress.csv: what made-up jobs of three kinds did alone and beside each other. Equal numbers on every run."""
SLOWDOWN = {"train": {"train": 1.6, "serve": 1.1, "notebook": 1.05},
            "serve": {"train": 1.3, "serve": 1.04, "notebook": 1.0},
            "notebook": {"train": 1.4, "serve": 1.12}}
state = 20261130


def draw(n):
    global state
    state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
    return (state >> 33) % n


def noise():
    return 1 + (draw(101) + draw(101) - 100) / 2500


print("job,kind,beside,rate,seconds")
for kind, row in SLOWDOWN.items():
    for number in range(8):
        size = 1 + draw(400) / 20
        if kind != "notebook" or number < 5:
            print(f"{kind}-{number},{kind},,{size * noise():.4f},{1200 + draw(2400)}")
        for beside, slowdown in row.items():
            if draw(4) > 0:
                print(f"{kind}-{number},{kind},{beside},{size * noise() / slowdown:.4f},{300 + draw(1800)}")
    print(f"{kind}-0,{kind},train+serve,0.5000,600")
print("train-3,train,serve,0,45")

"""Incorrect uses of the package. Each line with the comment "wrong" must be rejected by mypy and by pyright."""

import asyncio
from typing import Dict, List

import howdah


def train(lr: float, steps: int = 1) -> Dict[str, float]:
    return {"loss": lr * steps}


@howdah.job(workers=2)
def decorated(lr: float) -> int:
    return 1


result: Dict[str, float] = howdah.run(train, args=(0.1,))
results: List[Dict[str, float]] = howdah.submit(train).results()
value: int = decorated(0.1) + decorated.run(0.1) + decorated.options(gpus=1).submit(0.1).result()

bad_value: int = howdah.run(train)  # wrong
bad_values: List[int] = howdah.submit(train).results()  # wrong
howdah.run(train, worker=4)  # wrong
howdah.run(train, workers="4")  # wrong
howdah.run(train, memory=16)  # wrong
howdah.run(train, framework="torch")  # wrong
howdah.submit(train, follow=False)  # wrong
howdah.run(train, data=3)  # wrong
howdah.run(7)  # wrong
howdah.run({"worker": train})  # wrong
decorated("fast")  # wrong
decorated.run(lr="fast")  # wrong
decorated.submit()  # wrong
decorated.options(worker=2)  # wrong
howdah.Role(train, kinds="service")  # wrong
howdah.context().progress("one")  # wrong
howdah.context().world  # wrong
job = howdah.submit(train)
job.status().sate  # wrong
job.kill(grace=3)  # wrong
job.wait(timeout="1m")  # wrong
job.scale(worker="many")  # wrong
howdah.JobFailed.tracebak  # wrong
howdah.runn(train)  # wrong


async def main() -> None:
    awaited: int = await job  # wrong
    async for line in job.logs(follow=True):
        print(line.txt)  # wrong


asyncio.run(main())

import { condition, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow';

const { step } = proxyActivities<{ step(name: string): Promise<void> }>({ startToCloseTimeout: '10 seconds' });

export async function walk(): Promise<void> {
  let asked = 0;
  setHandler(defineSignal('go'), () => void (asked += 1));
  await step('first');
  await condition(() => asked > 0);
  await step('second');
  await condition(() => asked > 1);
  await step('third');
}

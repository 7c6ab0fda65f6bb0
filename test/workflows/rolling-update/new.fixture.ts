import { condition, defineSignal, patched, proxyActivities, setHandler } from '@temporalio/workflow';

const { step } = proxyActivities<{ step(name: string): Promise<void> }>({ startToCloseTimeout: '10 seconds' });

export async function walk(): Promise<void> {
  let signals = 0;
  setHandler(defineSignal('go'), () => void (signals += 1));
  if (patched('look-first')) await step('look');
  await step('first');
  await condition(() => signals > 0);
  await step('second');
  await condition(() => signals > 1);
  await step('third');
}

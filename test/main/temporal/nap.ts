import { sleep } from '@temporalio/workflow';

export async function nap(): Promise<string> {
  await sleep('1 ms');
  return 'rested';
}

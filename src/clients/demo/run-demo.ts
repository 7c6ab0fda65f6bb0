import type { DemoOptions, DemoResult } from './demo-options.ts';
import { ensureChange } from './ensure-change.ts';
import { ensureProduct } from './ensure-product.ts';
import { followChange } from './follow-change.ts';
import { signIn } from './sign-in.ts';

/** Drives one Change from an issue to production through the API. An interrupted demo resumes its Change. */
export async function runDemo(options: DemoOptions): Promise<DemoResult> {
  const api = await signIn(options);
  await ensureProduct(api, options);
  const run = await ensureChange(api, options);
  return await followChange(api, options, run);
}

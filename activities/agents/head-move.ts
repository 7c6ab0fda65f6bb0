import type { Checkout } from '../../src/integrations/git/checkout.ts';
import { prepareWorkTree, type Workshop } from './work-tree.ts';

/** Where the branch is, and whether it holds more than the head that was shown and git's own merges of the base. */
export type HeadMove = { headSha: string; beyond: boolean };

/** Looks at what came to the run's branch since the head that was shown. */
export async function judgeHeadMove(workshop: Workshop & { shown: string }): Promise<HeadMove> {
  const { checkout, baseSha, branchSha: headSha } = await prepareWorkTree(workshop);
  if (!headSha) throw new Error(`The branch "${workshop.place.branch}" does not exist.`);
  return { headSha, beyond: await isBeyond(checkout, { shown: workshop.shown, headSha, baseSha }) };
}

/** More merges of the base than this are no more looked into: a person does. */
const mergesMax = 50;

/** What git merges by itself needs nobody's eyes, whoever had it do so; all else does. */
export async function isBeyond(
  checkout: Checkout,
  { shown, headSha, baseSha }: { shown: string; headSha: string; baseSha: string },
): Promise<boolean> {
  let commit = headSha;
  for (let merges = 0; merges < mergesMax && commit !== shown; merges += 1) {
    const [before, merged, ...more] = await checkout.parents(commit);
    if (before === undefined || merged === undefined || more.length > 0) return true;
    if (!(await checkout.isAncestor(merged, baseSha)) || !(await checkout.isPlainMerge(commit))) return true;
    commit = before;
  }
  return commit !== shown;
}

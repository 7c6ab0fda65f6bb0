import type { RunPlace } from './assignment.ts';
import { isBeyond } from './head-move.ts';
import { prepareWorkTree, type Workshop } from './work-tree.ts';

export type BaseMerge = {
  outcome: 'up-to-date' | 'merged' | 'conflicts';
  headSha: string;
  files?: string[];
  /** The branch holds more than the head that was shown and git's own merges of the base. */
  beyond?: boolean;
};
type Shown = { at: string; shown: string | undefined };

/** Merges the base branch into the run's branch and pushes that, unless it conflicts. */
export async function mergeBaseInto(workshop: Workshop & Shown): Promise<BaseMerge> {
  const { checkout, baseSha, baseBranch, branchSha: headSha } = await prepareWorkTree(workshop);
  const { place, at, shown } = workshop;
  if (!headSha) throw new Error(`The branch "${place.branch}" does not exist.`);
  const move = shown === undefined ? {} : { beyond: await isBeyond(checkout, { shown, headSha, baseSha }) };
  if (await checkout.isAncestor(baseSha, headSha)) {
    const isOurs =
      (await checkout.parents(headSha)).length === 2 && (await checkout.parents(headSha)).includes(baseSha);
    // An attempt that died after its push is still the one that merged.
    return { outcome: isOurs ? 'merged' : 'up-to-date', headSha, ...move };
  }
  // Nobody but its owner can bring it into a fork.
  if (place.given?.isFork) return { outcome: 'conflicts', headSha, ...move };
  const files = await checkout.merge(baseSha, baseBranch);
  if (files.length > 0) return { outcome: 'conflicts', headSha, files: files.slice(0, 100), ...move };
  const message = `Merge ${baseBranch}\n\nService-Run: ${nameOf(place)}\n`;
  const merged = await checkout.commit({ message, parents: [headSha, baseSha], at });
  const pushed = await checkout.push(merged, place.ref, headSha);
  if (pushed === 'moved') throw new Error(`"${place.branch}" moved while the base was merged into it.`);
  return { outcome: 'merged', headSha: merged, ...move };
}

const nameOf = ({ run }: RunPlace): string => run.metadata.name;

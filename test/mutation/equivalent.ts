import type { Mutant } from './list-mutants.ts';

/** A mutant that no test can see, and why. It is found again by its text, because lines move. */
type Equivalent = Pick<Mutant, 'file' | 'code' | 'operator' | 'replacement'> & { reason: string };

const equivalents: readonly Equivalent[] = [];

export const findEquivalent = (mutant: Mutant): Equivalent | undefined =>
  equivalents.find(
    ({ file, code, operator, replacement }) =>
      file === mutant.file &&
      code === mutant.code &&
      operator === mutant.operator &&
      replacement === mutant.replacement,
  );

import type { Mutant } from './list-mutants.ts';

/** A mutant that no test can see, and why. It is found again by its text, because lines move. */
type Equivalent = Pick<Mutant, 'file' | 'code' | 'operator' | 'replacement'> & { reason: string };

const equivalents: readonly Equivalent[] = [
  {
    file: 'src/rules/intake/duplicate-events.ts',
    code: 'const isRepeated = cause.event === eventName(event) && cause.label === event.label;',
    operator: 'dropped condition',
    replacement: '(cause.label === event.label)',
    reason: 'Only a label event has a label, so the events are the same when their labels are.',
  },
  {
    file: 'src/rules/scheduling/due-times.ts',
    code: 'if (at > after.getTime()) return at;',
    operator: 'moved boundary',
    replacement: '(at >= after.getTime())',
    reason: 'The library returns only local times after that of `after`, and none of them is the same instant.',
  },
];

export const findEquivalent = (mutant: Mutant): Equivalent | undefined =>
  equivalents.find(
    ({ file, code, operator, replacement }) =>
      file === mutant.file &&
      code === mutant.code &&
      operator === mutant.operator &&
      replacement === mutant.replacement,
  );

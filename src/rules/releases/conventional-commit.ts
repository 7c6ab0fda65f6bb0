/** The parts of the first line of a Conventional Commit: the type, and the mark of a breaking change. */
const header = /^([\w-]+)(?:\([^)]*\))?(!)?: /;

/** Returns the type of a commit, which may be written in any case, such as `feat`. */
export const readCommitType = (message: string): string | undefined => header.exec(message)?.[1]?.toLowerCase();

/** The footer is in capitals, and its separator is a colon or a number sign (Conventional Commits 1.0.0). */
export const isBreakingChange = (message: string): boolean =>
  header.exec(message)?.[2] !== undefined || /^BREAKING[ -]CHANGE(?:: | #)/m.test(message);

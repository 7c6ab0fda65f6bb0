/** The id allows one Release at a time per commit. */
export const promoteReleaseId = (input: { org: string; product: string; commit: string }): string =>
  `promote-release/${input.org}/${input.product}/${input.commit}`;

/** A branch by its name, or the default branch of the repo, whose name is not known before the merge. */
export const Branch = ({ name }: { name: string | undefined }) =>
  name === undefined ? 'the default branch' : <code>{name}</code>;

/** An account as the code host reports it; null stands for a deleted one. */
type Account = { login?: string | undefined; type?: string | undefined } | null | undefined;

/** Returns the logins of the people among the accounts, or undefined when the code host does not say who one of them is. */
export function listPeople(accounts: readonly Account[]): string[] | undefined {
  const logins = accounts.filter((account) => account?.type !== 'Bot').map((account) => account?.login);
  return logins.every((login) => login !== undefined) ? [...new Set(logins)] : undefined;
}

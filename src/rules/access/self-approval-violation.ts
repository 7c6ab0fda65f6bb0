import type { Organization } from '../orgs/kinds.ts';
import type { Contributors } from './contributors.ts';

const ownWork = 'This is your own work, and the org does not allow self-approval. Ask another member to approve it.';

/** Returns why a person may not approve what they may have contributed to, when the org requires a second person. */
export function selfApprovalViolation(
  { spec: { approvals } }: Organization,
  { emails, logins, hasUnknownStarter, hasUnknownCommitter }: Contributors,
  approver: string,
): string | undefined {
  if (!approvals?.preventSelfApproval) return undefined;
  if (includes(emails, approver)) return ownWork;
  if (hasUnknownStarter)
    return 'An unknown code host account started this, so it may be your own work. Start it again through the API.';
  if (hasUnknownCommitter)
    return 'The code host does not know the account that made or pushed a commit, so it may be your own work. Commit it again with an address that the code host knows, and push it.';
  if (logins.length === 0) return undefined;
  const accounts = approvals.codehostLogins?.filter(({ email }) => includes([email], approver)) ?? [];
  if (accounts.length === 0)
    return `The code host says that ${logins.join(' and ')} contributed to this, and one of them may be you. Ask an org admin to add your account on the code host to the approval rules, or another member to approve it.`;
  return accounts.some(({ login }) => includes(logins, login)) ? ownWork : undefined;
}

const includes = (texts: readonly string[], text: string): boolean =>
  texts.some((one) => one.toLowerCase() === text.toLowerCase());

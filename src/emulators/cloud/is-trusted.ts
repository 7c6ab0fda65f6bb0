import type { TrustPolicy } from './cloud-state.ts';

type Request = {
  /** The ARN of the identity provider that verified the token. */
  provider: string;
  /** The keys that conditions can name, such as `<provider>:sub`. */
  context: Record<string, string>;
};

const action = 'sts:AssumeRoleWithWebIdentity';

/** Evaluates a trust policy as IAM does: one statement must allow, and none may deny. */
export function isTrusted({ Statement }: TrustPolicy, request: Request): boolean {
  const matching = Statement.filter((statement) => matches(statement, request));
  return matching.some(({ Effect }) => Effect === 'Allow') && !matching.some(({ Effect }) => Effect === 'Deny');
}

function matches(
  { Principal, Action, Condition }: TrustPolicy['Statement'][number],
  { provider, context }: Request,
): boolean {
  const conditions = Object.entries(Condition?.StringEquals ?? {});
  return (
    Principal.Federated === provider &&
    [Action].flat().includes(action) &&
    conditions.every(([key, values]) => [values].flat().some((value) => value === context[key]))
  );
}

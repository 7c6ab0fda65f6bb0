import type { Schemas } from '../../../api/generated/openapi.ts';
import { Copy, CopyButton } from '../../../parts/copy.tsx';
import curl from '../../../parts/curl-line.module.css';
import { Details } from '../../../parts/page.tsx';
import type { AccountDraft } from './account-draft.ts';
import { toTrustPolicy } from './trust-policy.ts';

type Identity = Schemas['CloudIdentity'];
type Props = { identity: Identity; org: string; draft: AccountDraft };

const findAudience = (identity: Identity, provider: AccountDraft['provider']): string =>
  identity.audiences.find((one) => one.provider === provider)?.audience ?? '';

/** The values to enter at the cloud of the draft, so that it trusts tokens of this org. */
export const TrustDetails = (props: Props) =>
  props.draft.provider === 'aws' ? <AwsTrust {...props} /> : <GoogleTrust {...props} />;

function AwsTrust({ identity, org, draft: { roleArn } }: Props) {
  const { issuer } = identity;
  const subject = identity.subject.replace('{org}', org);
  const audience = findAudience(identity, 'aws');
  const policy = toTrustPolicy({ issuer, audience, subject, roleArn });
  return (
    <div className="stack">
      <p>
        In IAM, add an identity provider of the type OpenID Connect with this URL and audience. Then give a role this
        trust policy, and the permissions that the service may have.
      </p>
      <Details
        items={[
          ['Provider URL', <Copy key="issuer" text={issuer} label="Copy the provider URL" />],
          ['Audience', <Copy key="audience" text={audience} label="Copy the audience" />],
          ['Subject', <Copy key="subject" text={subject} label="Copy the subject" />],
        ]}
      />
      <div>
        <h3>Trust policy</h3>
        <pre className={curl['command']}>{policy}</pre>
        <CopyButton text={policy} label="Copy the trust policy" />
      </div>
    </div>
  );
}

function GoogleTrust({ identity, org, draft: { workloadIdentityProvider } }: Props) {
  const provider = workloadIdentityProvider.trim() || 'PROVIDER';
  const subject = identity.subject.replace('{org}', org);
  const audience = findAudience(identity, 'google').replace('{workloadIdentityProvider}', provider);
  const pool = workloadIdentityProvider.trim().replace(/\/providers\/[^/]*$/, '') || 'POOL';
  const principal = `principal://iam.googleapis.com/${pool}/subject/${subject}`;
  const mapping = 'google.subject=assertion.sub';
  return (
    <div className="stack">
      <p>
        In a workload identity pool, add a provider of the type OpenID Connect with this issuer, the default audience
        and this attribute mapping. Then grant the principal the role Workload Identity User on a service account.
      </p>
      <Details
        items={[
          ['Issuer', <Copy key="issuer" text={identity.issuer} label="Copy the issuer" />],
          ['Audience', <Copy key="audience" text={audience} label="Copy the audience" />],
          ['Subject', <Copy key="subject" text={subject} label="Copy the subject" />],
          ['Attribute mapping', <Copy key="mapping" text={mapping} label="Copy the attribute mapping" />],
          ['Principal', <Copy key="principal" text={principal} label="Copy the principal" />],
        ]}
      />
    </div>
  );
}

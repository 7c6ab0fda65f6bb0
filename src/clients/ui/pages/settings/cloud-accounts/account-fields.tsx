import { ChoiceField, TextField } from '../../../parts/form-fields.tsx';
import { type AccountDraft, type Provider, providers } from './account-draft.ts';

type Props = { draft: AccountDraft; onChange: (draft: AccountDraft) => void };

export function AccountFields({ draft, onChange }: Props) {
  return (
    <>
      <ChoiceField
        label="Cloud"
        pointer="/spec/provider"
        value={draft.provider}
        options={providers}
        onChange={(provider) => onChange({ ...draft, provider: provider as Provider })}
      />
      {draft.provider === 'aws' ? (
        <AwsFields draft={draft} onChange={onChange} />
      ) : (
        <GoogleFields draft={draft} onChange={onChange} />
      )}
    </>
  );
}

const AwsFields = ({ draft, onChange }: Props) => (
  <>
    <TextField
      label="Role ARN"
      hint="Such as arn:aws:iam::123456789012:role/delivery. The trust policy above takes its account id from it."
      pointer="/spec/roleArn"
      mono
      required
      spellCheck={false}
      value={draft.roleArn}
      onChange={(roleArn) => onChange({ ...draft, roleArn })}
    />
    <TextField
      label="Region"
      hint="Such as eu-central-1. The service uses its token service."
      pointer="/spec/region"
      mono
      required
      spellCheck={false}
      value={draft.region}
      onChange={(region) => onChange({ ...draft, region })}
    />
  </>
);

const GoogleFields = ({ draft, onChange }: Props) => (
  <>
    <TextField
      label="Workload identity provider"
      hint="projects/<number>/locations/global/workloadIdentityPools/<pool>/providers/<provider>"
      pointer="/spec/workloadIdentityProvider"
      mono
      required
      spellCheck={false}
      value={draft.workloadIdentityProvider}
      onChange={(workloadIdentityProvider) => onChange({ ...draft, workloadIdentityProvider })}
    />
    <TextField
      label="Service account"
      hint="Such as delivery@my-project.iam.gserviceaccount.com."
      pointer="/spec/serviceAccount"
      mono
      required
      spellCheck={false}
      value={draft.serviceAccount}
      onChange={(serviceAccount) => onChange({ ...draft, serviceAccount })}
    />
  </>
);

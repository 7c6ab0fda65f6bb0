import { AreaField, ChoiceField, TextField } from '../../../parts/form-fields.tsx';
import { CloudFields } from './cloud-fields.tsx';
import type { ClusterDraft } from './cluster-draft.ts';

type Props = {
  draft: ClusterDraft;
  onChange: (draft: ClusterDraft) => void;
  kubeconfigHint: string;
  isKubeconfigRequired: boolean;
};

export function ClusterFields({ draft, onChange, kubeconfigHint, isKubeconfigRequired }: Props) {
  return (
    <>
      <TextField
        label="Display name, optional"
        hint="Shown in place of the name."
        pointer="/label"
        value={draft.label}
        onChange={(label) => onChange({ ...draft, label })}
      />
      <ChoiceField
        label="Sign in with"
        hint="A cloud account needs no secret: the cloud trusts this installation."
        value={draft.signIn}
        options={[
          ['kubeconfig', 'A kubeconfig'],
          ['cloud', 'A cloud account, to EKS or GKE'],
        ]}
        onChange={(signIn) => onChange({ ...draft, signIn: signIn as ClusterDraft['signIn'] })}
      />
      {draft.signIn === 'cloud' ? (
        <CloudFields cloud={draft.cloud} onChange={(cloud) => onChange({ ...draft, cloud })} />
      ) : (
        <AreaField
          label="Kubeconfig"
          hint={kubeconfigHint}
          pointer="/kubeconfig"
          rows={8}
          required={isKubeconfigRequired}
          data-secret
          autoComplete="off"
          spellCheck={false}
          value={draft.kubeconfig}
          onChange={(kubeconfig) => onChange({ ...draft, kubeconfig })}
        />
      )}
      <TextField
        label="Prometheus URL, optional"
        hint="For the metrics of zones there. It gets no credentials."
        pointer="/prometheusUrl"
        mono
        spellCheck={false}
        value={draft.prometheusUrl}
        onChange={(prometheusUrl) => onChange({ ...draft, prometheusUrl })}
      />
    </>
  );
}

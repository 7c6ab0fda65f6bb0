import { AreaField, TextField } from '../../../parts/form-fields.tsx';

/** A cluster as a person types it. */
export type ClusterDraft = Record<'label' | 'kubeconfig' | 'prometheusUrl', string>;

type Props = {
  draft: ClusterDraft;
  onChange: (draft: ClusterDraft) => void;
  kubeconfigHint: string;
  isKubeconfigRequired: boolean;
};

export function ClusterFields({ draft, onChange, kubeconfigHint, isKubeconfigRequired }: Props) {
  const set = (name: keyof ClusterDraft) => (value: string) => onChange({ ...draft, [name]: value });
  return (
    <>
      <TextField
        label="Name for people, optional"
        hint="Shown in place of the name."
        pointer="/label"
        value={draft.label}
        onChange={set('label')}
      />
      <AreaField
        label="Kubeconfig"
        hint={kubeconfigHint}
        pointer="/kubeconfig"
        rows={8}
        required={isKubeconfigRequired}
        autoComplete="off"
        spellCheck={false}
        value={draft.kubeconfig}
        onChange={set('kubeconfig')}
      />
      <TextField
        label="Prometheus URL, optional"
        hint="For the metrics of zones there. It gets no credentials."
        pointer="/prometheusUrl"
        mono
        spellCheck={false}
        value={draft.prometheusUrl}
        onChange={set('prometheusUrl')}
      />
    </>
  );
}

/** Leaves out what is empty. */
export const toClusterBody = ({ label, prometheusUrl }: ClusterDraft) => ({
  ...(label.trim() !== '' && { label: label.trim() }),
  ...(prometheusUrl.trim() !== '' && { prometheusUrl: prometheusUrl.trim() }),
});

import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { statusQuery } from '../../api/queries/settings.ts';
import field from '../../parts/field.module.css';
import form from '../../parts/form.module.css';

type Props = { value: string; error: string | undefined; onChange: (cluster: string) => void };

/** The cluster of a zone, which cannot change later; it is only asked where the installation has workload clusters. */
export function ClusterField({ value, error, onChange }: Props) {
  const id = useId();
  const { data: status } = useQuery(statusQuery);
  const clusters = status?.managementCluster.workloadClusters ?? [];
  if (clusters.length === 0) return null;
  return (
    <div className={field['field']}>
      <label htmlFor={id}>Cluster</label>
      <select
        id={id}
        className={`${field['select']} ${form['box']}`}
        value={value}
        aria-invalid={error !== undefined || undefined}
        aria-describedby={`${id}-hint`}
        onChange={(event) => onChange(event.target.value)}
      >
        <option value="">The cluster of the installation</option>
        {clusters.map(({ name, readable }) => (
          <option key={name} value={name}>
            {readable ? name : `${name}, which the service cannot read`}
          </option>
        ))}
      </select>
      <span id={`${id}-hint`} className={error === undefined ? field['hint'] : field['err']}>
        {error ?? 'It cannot change once the zone is added.'}
      </span>
    </div>
  );
}

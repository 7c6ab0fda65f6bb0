import { useId } from 'react';
import field from '../../parts/field.module.css';

/** Whether a text appears on the status page, without who wrote it. */
export function OnStatusPage({ checked, onChange }: { checked: boolean; onChange: (checked: boolean) => void }) {
  const id = useId();
  return (
    <div className={field['opt']}>
      <input type="checkbox" id={id} checked={checked} onChange={(event) => onChange(event.target.checked)} />
      <label htmlFor={id}>Show on the status page</label>
    </div>
  );
}

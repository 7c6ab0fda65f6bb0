import { Plus, X } from 'lucide-react';
import { Button } from '../../parts/button.tsx';
import field from '../../parts/field.module.css';
import { useRowFocus } from '../../parts/use-row-focus.ts';
import { ErrorText, Was, type FieldsProps } from './field-parts.tsx';
import { formatSetting } from './zone-draft.ts';
import styles from './zone-settings.module.css';

const volumesMax = 8;
const volumeParts = [
  ['name', 'Name', 'data'],
  ['size', 'Size', '1Gi'],
  ['path', 'Path in the app', '/data'],
] as const;

/** The volumes of the app: each with a name, a size and the path where the app sees it. */
export function VolumesField({ base, draft, isChanged, findError, onChange }: FieldsProps & { isChanged: boolean }) {
  const { volumes } = draft;
  const { list, focusRow } = useRowFocus();
  const setVolume = (index: number, part: 'name' | 'size' | 'path', value: string): void =>
    onChange({ volumes: volumes.map((volume, at) => (at === index ? { ...volume, [part]: value } : volume)) });
  const hasPartError = volumes.some((_, index) =>
    volumeParts.some(([part]) => findError('volumes', `${index}/${part}`) !== undefined),
  );
  const ownError = hasPartError ? undefined : findError('volumes');
  return (
    <fieldset
      ref={list}
      className={isChanged ? styles['changed'] : undefined}
      data-invalid={ownError !== undefined || undefined}
      aria-describedby={ownError === undefined ? undefined : 'volumes-error'}
    >
      <legend>
        Storage <span className={styles['count']}>{volumes.length} of 8 volumes</span>{' '}
        {isChanged && <Was>{formatSetting(base, 'volumes')}</Was>}
      </legend>
      {volumes.map((volume, index) => (
        <div key={index} data-row className={styles['volume']}>
          {volumeParts.map(([part, label, placeholder]) => {
            const error = findError('volumes', `${index}/${part}`);
            const id = `volume-${index}-${part}`;
            return (
              <div key={part}>
                <label className="sr" htmlFor={id}>
                  {label} of volume {index + 1}
                </label>
                <input
                  id={id}
                  className={`${field['input']} mono`}
                  value={volume[part]}
                  placeholder={placeholder}
                  spellCheck={false}
                  autoComplete="off"
                  aria-invalid={error === undefined ? undefined : true}
                  aria-describedby={error === undefined ? undefined : `${id}-error`}
                  onChange={(event) => setVolume(index, part, event.target.value)}
                />
                <ErrorText id={`${id}-error`}>{error}</ErrorText>
              </div>
            );
          })}
          <Button
            small
            look="plain"
            aria-label={`Remove the volume ${volume.name || index + 1}`}
            onClick={() => {
              focusRow(index);
              onChange({ volumes: volumes.toSpliced(index, 1) });
            }}
          >
            <X className="i s" aria-hidden="true" />
          </Button>
        </div>
      ))}
      <p className={styles['hint']}>
        With a volume, pods are replaced rather than overlapped. A removed volume keeps its data in the cluster.
      </p>
      <ErrorText id="volumes-error">{ownError}</ErrorText>
      <Button
        small
        why={volumes.length >= volumesMax ? 'A zone has at most 8 volumes.' : undefined}
        onClick={() => {
          focusRow(volumes.length);
          onChange({ volumes: [...volumes, { name: '', size: '', path: '' }] });
        }}
      >
        <Plus className="i s" aria-hidden="true" />
        Add volume
      </Button>
    </fieldset>
  );
}

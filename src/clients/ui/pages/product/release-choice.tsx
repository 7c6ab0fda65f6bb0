import type { Release, Zone } from '../../api/types.ts';
import field from '../../parts/field.module.css';
import { Select } from '../../parts/select.tsx';

type Props = { zone: Zone; releases: Release[]; name: string | undefined; onChoose: (name: string) => void };

/** Chooses the Release to promote among those that are built. */
export const ReleaseChoice = ({ zone, releases, name, onChoose }: Props) => (
  <div className={field['field']}>
    <span className={field['label']} aria-hidden="true">
      Release
    </span>
    <Select
      label="Release"
      value={name ?? ''}
      options={[
        ['', 'Choose a Release…'],
        ...releases
          .filter(({ status }) => status?.digest !== undefined)
          .map((one): [string, string] => [
            one.name,
            `${one.spec.version}, ${one.spec.commit.slice(0, 7)}${one.name === zone.status.release ? ' (runs now)' : ''}`,
          ]),
      ]}
      onChange={onChoose}
    />
  </div>
);

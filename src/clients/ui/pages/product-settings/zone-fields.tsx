import field from '../../parts/field.module.css';
import { findError } from '../../parts/find-error.ts';
import { Select } from '../../parts/select.tsx';
import table from '../../parts/table.module.css';
import { accesses, policies, type Values } from './values.ts';

/** The way in which Releases arrive in each zone, and who can open it. */
export const ZoneFields = ({
  zones,
  values,
  before,
  error,
  onChange,
}: {
  zones: string[];
  values: Values;
  before: Values;
  error: Error | null;
  onChange: (name: string, value: string) => void;
}) => (
  <table className={`${table['tbl']} ${table['mid']}`}>
    <thead>
      <tr>
        <th scope="col">Zone</th>
        <th scope="col">Releases arrive</th>
        <th scope="col">Who can open it</th>
      </tr>
    </thead>
    <tbody>
      {zones.map((zone, index) => (
        <tr key={zone}>
          <th scope="row">
            {zone}
            <Error text={findError(error, `/spec/delivery/zones/${index}`)} />
          </th>
          {(
            [
              ['Releases arrive', `policy ${zone}`, policies],
              ['Who can open it', `access ${zone}`, accesses],
            ] as const
          ).map(([label, name, options]) => (
            <td key={name} data-l={label}>
              <Select
                label={`${label} in ${zone}`}
                value={values[name] ?? ''}
                options={Object.entries(options)}
                onChange={(value) => onChange(name, value)}
              />
              {values[name] !== before[name] && (
                <span className="dim small">Was: {(options as Values)[before[name] ?? '']}</span>
              )}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);

const Error = ({ text }: { text: string | undefined }) =>
  text === undefined ? null : (
    <span className={field['field']}>
      <span className={field['err']}>{text}</span>
    </span>
  );

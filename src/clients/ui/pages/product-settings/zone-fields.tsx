import { Link } from '@tanstack/react-router';
import type { Product } from '../../api/types.ts';
import field from '../../parts/field.module.css';
import { findError } from '../../parts/find-error.ts';
import { Select } from '../../parts/select.tsx';
import table from '../../parts/table.module.css';
import { accesses, policies } from '../../parts/zone-terms.ts';
import type { Values } from './values.ts';

/** A table with the promotion policy and the access of each zone. */
export const ZoneFields = ({
  product: { org, name: product, spec },
  values,
  before,
  error,
  onChange,
}: {
  product: Product;
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
      {spec.delivery.zones.map(({ name: zone }, index) => (
        <tr key={zone}>
          <th scope="row">
            <Link
              className={table['title']}
              to="/$org/products/$product/zones/$zone/settings"
              params={{ org, product, zone }}
            >
              {zone}
            </Link>
            <OtherError error={error} pointer={`/spec/delivery/zones/${index}`} />
          </th>
          {(
            [
              ['Releases arrive', `policy ${zone}`, policies, 'promotionPolicy'],
              ['Who can open it', `access ${zone}`, accesses, 'access'],
            ] as const
          ).map(([label, name, options, setting]) => (
            <td key={name} data-l={label}>
              <Select
                label={`${label} in ${zone}`}
                value={values[name] ?? ''}
                options={Object.entries(options)}
                error={findError(error, `/spec/delivery/zones/${index}/${setting}`)}
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

/** Shows an error of a setting that only the zone's own page shows. */
function OtherError({ error, pointer }: { error: Error | null; pointer: string }) {
  const isShown = ['promotionPolicy', 'access'].some((setting) => findError(error, `${pointer}/${setting}`));
  const text = isShown ? undefined : findError(error, pointer);
  return (
    text !== undefined && (
      <span className={field['field']}>
        <span className={field['err']}>{text}</span>
      </span>
    )
  );
}

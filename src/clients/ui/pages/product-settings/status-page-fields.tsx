import type { Product } from '../../api/types.ts';
import { findError, findListError } from '../../parts/find-error.ts';
import { Section } from '../../parts/page.tsx';
import { Select } from '../../parts/select.tsx';
import { StatusPageLink } from '../../parts/status-page-link.tsx';
import { TextArea } from '../../parts/text-area.tsx';
import styles from './product-settings.module.css';
import type { Values } from './values.ts';

const readers = { 'signed-in': 'People who are signed in', public: 'Anyone' };

/** Chooses the readers and the zones of the status page. */
export function StatusPageFields({
  product,
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
}) {
  const isError = (pointer: string): boolean => findListError(error, pointer) !== undefined;
  const hasOwnError = !isError('/spec/statusPage/public') && !isError('/spec/statusPage/zones');
  return (
    <Section id="status-page" title="Status page" note={<StatusPageLink product={product} />}>
      <div className={styles['fields']}>
        <div>
          <Select
            label="Who can read the status page"
            value={values['statusReaders'] ?? ''}
            options={Object.entries(readers)}
            error={
              findError(error, '/spec/statusPage/public') ??
              (hasOwnError ? findError(error, '/spec/statusPage') : undefined)
            }
            onChange={(value) => onChange('statusReaders', value)}
          />{' '}
          <span className="dim small">
            can read it, without names of people and internal notes.
            {values['statusReaders'] !== before['statusReaders'] &&
              ` Was: ${(readers as Values)[before['statusReaders'] ?? '']}`}
          </span>
        </div>
        <TextArea
          label="Zones on the status page, one a line"
          rows={2}
          spellCheck={false}
          value={values['statusZones'] ?? ''}
          hint="If empty, the zones whose users the Product serves."
          error={findError(error, '/spec/statusPage/zones')}
          onChange={({ target }) => onChange('statusZones', target.value)}
        />
      </div>
    </Section>
  );
}

import { useId } from 'react';
import type { AuditFilter } from '../../../api/queries/audit.ts';
import { Button } from '../../../parts/button.tsx';
import field from '../../../parts/field.module.css';
import { Select } from '../../../parts/select.tsx';
import { useFollowedState } from '../../../parts/use-followed-state.ts';
import { defined, toText } from '../../../shell/search.ts';
import styles from './audit.module.css';
import { resultWords } from './result-words.ts';

type Texts = { by: string; operation: string; name: string; since: string; until: string };
const inputs: [name: keyof Texts, label: string, type: 'text' | 'date', placeholder?: string][] = [
  ['by', 'Person', 'text', 'ada@example.com'],
  ['operation', 'Operation', 'text', 'replaceProduct'],
  ['name', 'Resource', 'text', 'hello'],
  ['since', 'From', 'date'],
  ['until', 'Before', 'date'],
];

/** The conditions, which apply when they are sent: each is a whole word, so that half of one would find nothing. */
export function AuditFilters({ filter, onFilter }: { filter: AuditFilter; onFilter: (filter: AuditFilter) => void }) {
  const [texts, setTexts] = useFollowedState(filter, toTexts);
  const id = useId();
  const send = (result: AuditFilter['result']): void =>
    onFilter(
      defined({
        by: toText(texts.by.trim()),
        operation: toText(texts.operation.trim()),
        name: toText(texts.name.trim()),
        result,
        since: toTime(texts.since),
        until: toTime(texts.until),
      }),
    );
  return (
    <form
      className={styles['filters']}
      role="search"
      aria-label="Changes"
      onSubmit={(event) => {
        event.preventDefault();
        send(filter.result);
      }}
    >
      {inputs.map(([name, label, type, placeholder]) => (
        <span key={name} className={field['field']}>
          <label htmlFor={`${id}-${name}`}>{label}</label>
          <input
            id={`${id}-${name}`}
            className={field['input']}
            type={type}
            placeholder={placeholder}
            spellCheck={false}
            value={texts[name]}
            onChange={({ target }) => setTexts({ ...texts, [name]: target.value })}
          />
        </span>
      ))}
      <Select
        label="Result"
        isLabelled
        value={filter.result ?? ''}
        options={[
          ['', 'All results'],
          ...Object.entries(resultWords).map(([key, [, words]]): [string, string] => [key, words]),
        ]}
        onChange={(value) => send(value === '' ? undefined : (value as AuditFilter['result']))}
      />
      <Button type="submit">Filter</Button>
    </form>
  );
}

const toTexts = ({ by = '', operation = '', name = '', since = '', until = '' }: AuditFilter): Texts => ({
  by,
  operation,
  name,
  since: since.slice(0, 10),
  until: until.slice(0, 10),
});

/** Days are in UTC, as all times of the API. */
const toTime = (day: string): string | undefined => (day === '' ? undefined : `${day}T00:00:00Z`);

import { Link } from '@tanstack/react-router';
import type { Schemas } from '../api/generated/openapi.ts';
import { OutsideLink } from './outside-link.tsx';
import { Details } from './page.tsx';
import type { State } from './phase-state.ts';
import { Mark } from './state.tsx';
import styles from './explanations.module.css';

type Item = Schemas['Explanation']['items'][number];
const states: Record<Item['state'], State> = {
  done: 'done',
  running: 'working',
  waiting: 'idle',
  failed: 'failed',
  nothing: 'idle',
};

/** Why something did or did not happen: the rule's decision, what it judged, and what a person can do. */
export const Explanations = ({ items }: { items: Item[] }) => (
  <ul className={styles['list']}>
    {items.map(({ state, rule, message, facts, fix, links }) => (
      <li key={`${rule} ${message} ${JSON.stringify(facts)}`} data-state={states[state]}>
        <Mark state={states[state]} />
        <div>
          <p>
            <b>{message}</b>
          </p>
          {fix !== undefined && <p>{fix}</p>}
          {links.length > 0 && (
            <p className="row wrap">
              {links.map(({ title, url }) =>
                url.startsWith('/') ? (
                  <Link key={url} to={url}>
                    {title}
                  </Link>
                ) : (
                  <OutsideLink key={url} href={url}>
                    {title}
                  </OutsideLink>
                ),
              )}
            </p>
          )}
          {facts.length > 0 && (
            <details>
              <summary className="dim small">What was judged</summary>
              <Details items={[['Rule', rule], ...facts.map(({ name, value }): [string, string] => [name, value])]} />
            </details>
          )}
        </div>
      </li>
    ))}
  </ul>
);

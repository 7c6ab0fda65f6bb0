import { Link } from '@tanstack/react-router';
import { useShowMore } from '../../parts/use-show-more.tsx';
import { Status } from '../../parts/state.tsx';
import table from '../../parts/table.module.css';
import { Ago } from '../../parts/time.tsx';
import { kinds, toDomainState, type Domain } from './domain-state.ts';

const domainsFirst = 50;

/** The domains of an org, with the platform's first; the shown one is marked. */
export function DomainTable({ domains, current }: { domains: Domain[]; current?: string }) {
  const { shown, more } = useShowMore(domains, domainsFirst);
  return (
    <>
      <table className={`${table['tbl']} ${table['mid']}`}>
        <thead>
          <tr>
            <th scope="col">Domain</th>
            <th scope="col">Kind</th>
            <th scope="col">Status</th>
            <th scope="col">Addresses</th>
            <th scope="col" className={table['n']}>
              Last checked
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((domain) => (
            <Row key={`${domain.org} ${domain.name}`} domain={domain} isCurrent={domain.name === current} />
          ))}
        </tbody>
      </table>
      {more}
    </>
  );
}

function Row({
  domain: { org, name, spec, status, addresses, actions },
  isCurrent,
}: {
  domain: Domain;
  isCurrent: boolean;
}) {
  const [state, words] = toDomainState(status);
  // The platform's domain and those that another org shares have no page.
  const isOwn = actions.length > 0;
  return (
    <tr className={isCurrent ? table['sel'] : undefined}>
      <th scope="row" className={isOwn ? undefined : table['title']}>
        {isOwn ? (
          <Link
            className={table['title']}
            to="/$org/domains/$domain"
            params={{ org, domain: name }}
            aria-current={isCurrent ? 'true' : undefined}
          >
            {name}
          </Link>
        ) : (
          name
        )}
      </th>
      <td data-l="Kind">{isOwn || spec.kind === 'platform' ? kinds[spec.kind] : 'Shared with every org'}</td>
      <td data-l="Status">
        <Status state={state} words={words} />
      </td>
      <td data-l="Addresses">{addresses.length}</td>
      <td className={table['n']} data-l="Last checked">
        {status.lastCheckedAt === undefined ? (
          <span className="faint">{spec.kind === 'platform' ? 'Set up by the operators' : 'Not yet'}</span>
        ) : (
          <>
            <Ago since={status.lastCheckedAt} />
          </>
        )}
      </td>
    </tr>
  );
}

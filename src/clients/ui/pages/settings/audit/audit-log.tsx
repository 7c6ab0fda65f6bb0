import { useSuspenseQuery } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue } from 'react';
import { auditQuery } from '../../../api/queries/audit.ts';
import { Button } from '../../../parts/button.tsx';
import { CurlLine } from '../../../parts/curl-line.tsx';
import { Empty, PageHead } from '../../../parts/page.tsx';
import { AuditFilters } from './audit-filters.tsx';
import { AuditTable } from './audit-table.tsx';
import styles from './audit.module.css';
import { Export } from './export.tsx';
import type { AuditSearch } from './route.ts';

/** The log of changes, with its filters, its pages and the export. */
export function AuditLog({
  org,
  search,
  onSearch,
  children,
}: {
  org: string | undefined;
  search: AuditSearch;
  onSearch: (search: AuditSearch) => void;
  children: ReactNode;
}) {
  // The entries that are shown stay until the next ones are read, so that the filters keep the focus.
  const { entry, ...filter } = useDeferredValue(search);
  const { after, ...conditions } = filter;
  const { data } = useSuspenseQuery(auditQuery(org, filter));
  const isFiltered = Object.keys(conditions).length > 0;
  return (
    <>
      <PageHead
        title={org === undefined ? 'Audit of the installation' : 'Audit'}
        actions={<Export org={org} filter={conditions} />}
      >
        {children}
      </PageHead>
      <AuditFilters filter={conditions} onFilter={onSearch} />
      {data.items.length === 0 ? (
        <Empty title={isFiltered || after !== undefined ? 'No change matches' : 'No change yet'}>
          <p>
            {data.continue === undefined
              ? 'Changes appear here as soon as they begin.'
              : 'None among the changes that were searched. Search the older ones too.'}
          </p>
        </Empty>
      ) : (
        <AuditTable
          entries={data.items}
          open={entry}
          onOpen={(id) => onSearch({ ...filter, ...(id !== undefined && { entry: id }) })}
        />
      )}
      {(after !== undefined || data.continue !== undefined) && (
        <nav className={styles['pages']} aria-label="Pages">
          {after !== undefined && <Button onClick={() => onSearch(conditions)}>First page</Button>}
          {data.continue !== undefined && (
            <Button onClick={() => onSearch({ ...conditions, after: data.continue ?? '' })}>Older changes</Button>
          )}
        </nav>
      )}
      <CurlLine path={org === undefined ? '/audit' : `/orgs/${org}/audit`} />
    </>
  );
}

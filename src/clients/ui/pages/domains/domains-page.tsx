import { useSuspenseQuery } from '@tanstack/react-query';
import { domainsQuery } from '../../api/queries/domains.ts';
import { every } from '../../live/live-state.ts';
import { useLive } from '../../live/live.tsx';
import { Empty, PageHead } from '../../parts/page.tsx';
import { AddDomain } from './add-domain.tsx';
import { DomainTable } from './domain-table.tsx';
import { domainsRoute } from './route.ts';

/** The domains under which the zones of an org can have addresses. */
export function DomainsPage() {
  const { org } = domainsRoute.useParams();
  const { data: domains } = useSuspenseQuery({ ...domainsQuery(org), refetchInterval: every(10_000) });
  useLive({ kind: 'domains', org });
  return (
    <>
      <PageHead title="Domains" actions={<AddDomain org={org} look="primary" />}>
        The zones of {org} can have addresses under these, once they are verified.
      </PageHead>
      {domains.items.length === 0 ? (
        <Empty title="No domain yet">
          <p>Add a domain that the org owns. The page then shows the records to set at its DNS provider.</p>
        </Empty>
      ) : (
        <DomainTable domains={domains.items} />
      )}
    </>
  );
}

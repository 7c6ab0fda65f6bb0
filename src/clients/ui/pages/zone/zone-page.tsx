import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { zoneQuery } from '../../api/queries/zones.ts';
import { ApiProblem } from '../../api/request.ts';
import type { Schemas } from '../../api/generated/openapi.ts';
import { every } from '../../live/live-state.ts';
import { useLive } from '../../live/live.tsx';
import { CurlLine } from '../../parts/curl-line.tsx';
import { OutsideLink } from '../../parts/outside-link.tsx';
import { PageHead } from '../../parts/page.tsx';
import { ProblemNotice } from '../../parts/problem.tsx';
import { PromotionsSection } from '../../parts/promotions-table.tsx';
import header from '../../parts/product-header.module.css';
import { Mark, Tag } from '../../parts/state.tsx';
import { toViewLink } from '../../parts/to-view-link.ts';
import { toZoneState } from '../../parts/zone-chip.tsx';
import { defaultAccess } from '../../parts/zone-terms.ts';
import { LogsTab } from './logs.tsx';
import { RemovalProgress, Removed } from './removal.tsx';
import { zoneRoute } from './route.ts';
import { UsageSection } from './usage.tsx';
import { Events, Pods, Storage } from './workload.tsx';
import { ZoneActions } from './zone-actions.tsx';
import { ZoneFigures } from './zone-figures.tsx';
import { ZoneNotices } from './zone-notices.tsx';

type Zone = Schemas['ZoneDetails'];

/** One environment as it runs: its version, pods, use of resources and logs. */
export function ZonePage() {
  const params = zoneRoute.useParams();
  const { data: zone, error } = useSuspenseQuery({
    ...zoneQuery(params),
    // A removal is followed step by step. Pods and events have no stream, so they are read again.
    refetchInterval: (query) => every(query.state.data?.status.removal ? 2_000 : 10_000)(query),
  });
  useLive({ kind: 'zones', org: params.org, name: params.zone });
  const { tab } = zoneRoute.useSearch();
  const { state, words } = toZoneState(zone.status);
  if (error instanceof ApiProblem && error.status === 404) return <Removed zone={zone} />;
  return (
    <>
      <PageHead
        title={zone.name}
        tag={
          <Tag state={state}>
            <Mark state={state} />
            {words}
          </Tag>
        }
        actions={<ZoneActions zone={zone} />}
      >
        <Subtitle zone={zone} />
      </PageHead>
      {error && <ProblemNotice error={error} />}
      {zone.status.removal ? <RemovalProgress removal={zone.status.removal} /> : <ZoneNotices zone={zone} />}
      <ZoneFigures zone={zone} />
      <Tabs isLogs={tab === 'logs'} />
      {tab === 'logs' ? <LogsTab zone={zone} /> : <Overview zone={zone} />}
    </>
  );
}

function Overview({ zone }: { zone: Zone }) {
  return (
    <>
      <UsageSection pods={zone.pods} />
      <Pods pods={zone.pods} reason={zone.notRunningReason} />
      {zone.volumes.length > 0 && <Storage volumes={zone.volumes} />}
      <Events events={zone.events} />
      <PromotionsSection org={zone.org} of={{ zone: zone.name }} />
      <CurlLine path={`/orgs/${zone.org}/products/${zone.product}/zones/${zone.name}`} />
    </>
  );
}

function Tabs({ isLogs }: { isLogs: boolean }) {
  const params = zoneRoute.useParams();
  const tabs: [label: string, search: { tab?: 'logs' }, isCurrent: boolean][] = [
    ['Overview', {}, !isLogs],
    ['Logs', { tab: 'logs' }, isLogs],
  ];
  return (
    <nav className={header['tabs']} aria-label="Views of the zone">
      {tabs.map(([label, search, isCurrent]) => (
        <Link
          key={label}
          to="/$org/products/$product/zones/$zone"
          params={params}
          search={search}
          {...toViewLink(isCurrent)}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}

const accessSentences = {
  'signed-in': 'Only people who can see the Product can open it.',
  public: 'Anyone can open it.',
  none: 'It has no address.',
};

function Subtitle({ zone: { org, product, spec, status } }: { zone: Zone }) {
  const others = spec?.access === 'none' ? 0 : (spec?.addresses?.length ?? 0);
  return (
    <>
      A zone of{' '}
      <Link to="/$org/products/$product" params={{ org, product }}>
        {product}
      </Link>
      .{' '}
      {status.address !== undefined && (
        <>
          <OutsideLink href={status.address}>{new URL(status.address).host}</OutsideLink>
          {others > 0 && ` and ${others} more ${others === 1 ? 'address' : 'addresses'}`}.{' '}
        </>
      )}
      {spec && accessSentences[spec.access ?? defaultAccess]}{' '}
      {spec &&
        (spec.promotionPolicy === 'after-approval'
          ? 'Releases arrive after approval.'
          : 'Releases arrive automatically.')}
    </>
  );
}

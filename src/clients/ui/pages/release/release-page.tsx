import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { releaseQuery } from '../../api/queries/releases.ts';
import type { Release } from '../../api/types.ts';
import { useLive } from '../../live/live.tsx';
import { Columns, PageHead } from '../../parts/page.tsx';
import { toState, toWords } from '../../parts/phase-state.ts';
import { PromotionsSection } from '../../parts/promotions-table.tsx';
import { Mark, Tag } from '../../parts/state.tsx';
import { Time } from '../../parts/time.tsx';
import { CancelRelease } from './cancel-release.tsx';
import { ChangesInside } from './changes-inside.tsx';
import { PromotionDecisions } from './promotion-decisions.tsx';
import { ReleaseDetails } from './release-details.tsx';
import { ReleaseFailures } from './release-failures.tsx';
import { StagesTable } from './stages-table.tsx';
import { ZonesTable } from './zones-table.tsx';

const route = getRouteApi('/signed-in/$org/releases/$release');

/** One version of a Product: its build, its tag, and its promotion zone by zone. */
export function ReleasePage() {
  const { org, release: name } = route.useParams();
  const { data: release } = useSuspenseQuery(releaseQuery(org, name));
  useLive({ kind: 'releases', org, name });
  const { compare } = route.useSearch();
  return (
    <>
      <Head release={release} />
      <PromotionDecisions key={name} release={release} />
      <ReleaseFailures release={release} />
      <Columns aside={<ReleaseDetails release={release} />}>
        <StagesTable release={release} />
        <ChangesInside release={release} zone={compare} />
        <ZonesTable release={release} />
        <PromotionsSection org={org} of={{ release: name }} />
      </Columns>
    </>
  );
}

function Head({ release }: { release: Release }) {
  const { spec, status, createdAt } = release;
  const phase = status?.phase ?? 'Building';
  return (
    <PageHead
      title={`${spec.product} ${spec.version}`}
      actions={
        <>
          <span className="row">
            <Tag state={toState(phase)}>
              <Mark state={toState(phase)} />
              {toWords(phase)}
            </Tag>
          </span>
          <CancelRelease release={release} />
        </>
      }
    >
      Commit <code>{spec.commit.slice(0, 7)}</code> of {spec.repo}. Started <Time at={status?.startedAt ?? createdAt} />{' '}
      {spec.run === undefined ? `by ${spec.startedBy.split('@')[0]}` : 'by the merge of a Change'}.
    </PageHead>
  );
}

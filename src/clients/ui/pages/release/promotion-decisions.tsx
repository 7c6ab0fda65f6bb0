import { useQuery } from '@tanstack/react-query';
import { zonesQuery } from '../../api/queries/products.ts';
import type { Release } from '../../api/types.ts';
import { useLive } from '../../live/live.tsx';
import { formatDecision } from '../../parts/decided-notice.tsx';
import { useAnnounceNews } from '../../parts/use-announce-news.ts';
import { useSeen } from '../../parts/use-seen.ts';
import { PromotionDecision } from './promotion-decision.tsx';

/** The promotions of a Release that wait for a person, and what has become of those that waited on this page. */
export function PromotionDecisions({ release }: { release: Release }) {
  const { org, name, spec, status } = release;
  const all = status?.zones ?? [];
  const seen = useSeen(all.filter(({ phase }) => phase === 'WaitingForApproval').map((zone) => zone.name));
  const shown = all.filter((zone) => seen.has(zone.name));
  const { data: zones } = useQuery({ ...zonesQuery(org, spec.product), enabled: shown.length > 0 });
  useLive({ kind: 'products', org, name: spec.product });
  const toWhat = (zone: string): string => `${spec.version} for ${zone}`;
  useAnnounceNews(
    name,
    all.flatMap((zone) => (zone.decision ? [formatDecision(zone.decision, toWhat(zone.name))] : [])),
  );
  return shown.map((zone) => (
    <PromotionDecision
      key={zone.name}
      release={release}
      zone={zone}
      target={zones?.items.find((one) => one.name === zone.name)}
    />
  ));
}

import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { explainQuery } from '../../api/queries/explain.ts';
import type { Release, ReleaseZone } from '../../api/types.ts';
import { Explanations } from '../../parts/explanations.tsx';
import { Failure } from '../../parts/failure.tsx';

/** Tells why a Release got no further: its own failure, that of each promotion, and what superseded it. */
export function ReleaseFailures({ release, children }: { release: Release; children?: ReactNode }) {
  const { org, name, spec, status } = release;
  const zones = status?.zones ?? [];
  // The failure of a Release that a zone stopped only refers to the failure of that zone.
  const own = zones.some(({ failure }) => failure?.resource === status?.failure?.resource)
    ? undefined
    : status?.failure;
  return (
    <>
      {own && (
        <Failure title={toTitle(release)} failure={own}>
          {children}
        </Failure>
      )}
      {zones.map((zone) =>
        zone.failure ? (
          <Failure
            key={zone.name}
            title={`The promotion of ${spec.version} to ${zone.name} ${outcomes[zone.phase] ?? 'failed'}`}
            failure={zone.failure}
          >
            {children}
          </Failure>
        ) : (
          zone.phase === 'Superseded' && <Superseded key={zone.name} org={org} release={name} zone={zone.name} />
        ),
      )}
    </>
  );
}

const outcomes: Partial<Record<ReleaseZone['phase'], string>> = {
  Rejected: 'was rejected',
  Cancelled: 'was cancelled',
};

function toTitle({ spec, status }: Release): string {
  if (status?.builtAt === undefined) return `The build of ${spec.version} failed`;
  return status.taggedAt === undefined ? `Tagging ${spec.version} failed` : `The Release ${spec.version} failed`;
}

/** Shows the API's explanation of a promotion that a newer one replaced, which is not a failure. */
function Superseded({ org, release, zone }: { org: string; release: string; zone: string }) {
  const { data } = useQuery(explainQuery(org, `promotion:${release}/${zone}`));
  return data && <Explanations items={data.items} />;
}

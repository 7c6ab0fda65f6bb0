import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { zonesQuery } from '../../api/queries/products.ts';
import { comparisonQuery } from '../../api/queries/releases.ts';
import type { Release, Zone } from '../../api/types.ts';
import { ContentsTable, Lines, toAmount, type Comparison } from '../../parts/comparison.tsx';
import { Section } from '../../parts/page.tsx';
import { ProblemNotice } from '../../parts/problem.tsx';
import { Select } from '../../parts/select.tsx';

/** Compares the Release with a zone: the one of the URL, or the first that runs another version. */
export function CompareZone({ release, zone: requested }: { release: Release; zone: string | undefined }) {
  const { org, name, spec } = release;
  const { data: zones } = useQuery(zonesQuery(org, spec.product));
  const chosen = chooseZone(zones?.items ?? [], name, requested);
  const { data: comparison, error } = useQuery(comparisonQuery(org, name, chosen));
  const navigate = useNavigate();
  if (!zones || !chosen) return null;
  return (
    <Section
      id="inside"
      title="Changes inside"
      note={comparison && describe(comparison)}
      aside={
        <Select
          label="Compare with what this zone runs"
          value={chosen.name}
          options={zones.items.map(({ name: zone, status }): [string, string] => [
            zone,
            `${zone}, ${status.version ?? 'empty'}`,
          ])}
          onChange={(compare) =>
            void navigate({
              to: '/$org/releases/$release',
              params: { org, release: name },
              search: { compare },
              resetScroll: false,
            })
          }
        />
      }
    >
      {error && <ProblemNotice error={error} />}
      {!comparison && !error && (
        <p className="dim" role="status">
          Comparing the commits…
        </p>
      )}
      {comparison && <Contents org={org} comparison={comparison} />}
    </Section>
  );
}

/** Prefers a zone that this Release would change. */
function chooseZone(zones: Zone[], release: string, requested: string | undefined): Zone | undefined {
  return (
    zones.find(({ name }) => name === requested) ??
    zones.find(({ status }) => status.version !== undefined && status.release !== release) ??
    zones.at(-1)
  );
}

const directions: Record<Comparison['direction'], string> = {
  first: 'the zone runs nothing yet',
  same: 'the zone runs this version',
  forward: 'newer than',
  backward: 'older than',
  diverged: 'both sides have commits of their own, compared with',
  unrelated: 'no common history with',
};

function describe({ direction, zone, from }: Comparison): string {
  if (direction === 'first') return `${zone} runs nothing yet`;
  if (direction === 'same') return `${zone} runs this version`;
  return `${directions[direction]} ${from?.version ?? 'what runs'} in ${zone}`.replace(/^./, (first) =>
    first.toUpperCase(),
  );
}

function Contents({ org, comparison: { direction, added, removed } }: { org: string; comparison: Comparison }) {
  if (direction === 'same') return <p className="dim">A promotion would change nothing there.</p>;
  if (direction === 'unrelated') return <p className="dim">The two commits have no common history to compare.</p>;
  return (
    <>
      {direction !== 'backward' && (
        <>
          <p className="dim small">
            Brings {toAmount(added)} {added.files && <Lines {...added.files} />}
          </p>
          <ContentsTable org={org} contents={added} />
        </>
      )}
      {(direction === 'backward' || direction === 'diverged') && (
        <>
          <p className="dim small">
            Takes away {toAmount(removed)} {removed.files && <Lines {...removed.files} />}
          </p>
          <ContentsTable org={org} contents={removed} />
        </>
      )}
    </>
  );
}

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { comparisonQuery } from '../../api/queries/comparisons.ts';
import type { Zone } from '../../api/types.ts';
import { ContentsTable } from '../../parts/comparison.tsx';
import { Section } from '../../parts/page.tsx';
import { ProblemNotice } from '../../parts/problem.tsx';

/** The Changes that the next promotion brings to a zone. */
export function PromotionContents({ zone, release, version }: { zone: Zone; release: string; version: string }) {
  const { org, name, status } = zone;
  const { data: comparison, error } = useQuery(comparisonQuery(org, release, zone));
  return (
    <Section
      id="brings"
      title={`What ${version} brings to ${name}`}
      note={status.version !== undefined && `Compared with ${status.version}`}
      aside={
        <Link to="/$org/releases/$release" params={{ org, release }}>
          Open the Release
        </Link>
      }
    >
      {error && <ProblemNotice error={error} />}
      {comparison?.direction === 'unrelated' && (
        <p className="dim">The code host knows no common history of the two commits.</p>
      )}
      {comparison && comparison.direction !== 'unrelated' && <ContentsTable org={org} contents={comparison.added} />}
      {!comparison && !error && (
        <p className="dim" role="status">
          Comparing the commits…
        </p>
      )}
    </Section>
  );
}

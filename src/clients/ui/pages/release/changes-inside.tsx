import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { zonesQuery } from '../../api/queries/products.ts';
import { comparisonQuery, contentsQuery } from '../../api/queries/comparisons.ts';
import type { Release } from '../../api/types.ts';
import { ContentsTable, Lines, toAmount, type Comparison } from '../../parts/comparison.tsx';
import { Section } from '../../parts/page.tsx';
import { ProblemNotice } from '../../parts/problem.tsx';
import { Select } from '../../parts/select.tsx';

/** The Changes of the Release since the previous Release, or, with a zone of the URL, since what that zone runs. */
export function ChangesInside({ release, zone: requested }: { release: Release; zone: string | undefined }) {
  const { org, name, spec } = release;
  const { data: zones } = useQuery(zonesQuery(org, spec.product));
  const zone = zones?.items.find((one) => one.name === requested);
  const isChosen = requested !== undefined && (zones === undefined || zone !== undefined);
  const before = useQuery({ ...contentsQuery(org, name), enabled: !isChosen });
  const running = useQuery(comparisonQuery(org, name, zone));
  const { data: comparison, error } = isChosen ? running : before;
  const navigate = useNavigate();
  const options = (zones?.items ?? []).map(({ name: one, status }): [string, string] => [
    one,
    `${one}, ${status.version ?? 'empty'}`,
  ]);
  return (
    <Section
      id="inside"
      title="Changes inside"
      note={comparison && describe(comparison)}
      aside={
        <Select
          label="Compare with"
          value={zone?.name ?? ''}
          options={[['', 'Previous Release'], ...options]}
          onChange={(compare) =>
            void navigate({
              to: '/$org/releases/$release',
              params: { org, release: name },
              search: compare === '' ? {} : { compare },
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

function describe({ direction, zone, from }: Comparison): string {
  const other = from?.version ?? 'what runs';
  const where = zone === undefined ? other : `${other} in ${zone}`;
  if (direction === 'first') return zone === undefined ? 'The first Release' : `${zone} runs nothing yet`;
  if (direction === 'same') return zone === undefined ? `The same commit as ${other}` : `${zone} runs this version`;
  if (direction === 'diverged') return `Both sides have commits of their own, compared with ${where}`;
  if (direction === 'unrelated') return `No common history with ${where}`;
  if (direction === 'backward') return `Older than ${where}`;
  return zone === undefined ? `Since ${other}` : `Newer than ${where}`;
}

function Contents({ org, comparison: { zone, direction, added, removed } }: { org: string; comparison: Comparison }) {
  if (direction === 'same')
    return (
      <p className="dim">
        {zone === undefined ? 'It has no commit of its own.' : 'A promotion would change nothing there.'}
      </p>
    );
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

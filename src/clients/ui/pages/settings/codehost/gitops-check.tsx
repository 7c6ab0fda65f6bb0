import { useQuery } from '@tanstack/react-query';
import { codehostCheckQuery } from '../../../api/queries/settings.ts';
import { every } from '../../../live/live-state.ts';
import { Button } from '../../../parts/button.tsx';
import { Section } from '../../../parts/page.tsx';
import { ProblemNotice } from '../../../parts/problem.tsx';
import { FindingTable } from '../finding-table.tsx';

const refetchInterval = every(30_000);

/** Whether the app of an org may write to its gitops repo, as the code host says. */
export function GitopsCheck({ org }: { org: string }) {
  const { data, error, isFetching, refetch } = useQuery({ ...codehostCheckQuery(org), refetchInterval });
  const findings = data?.findings?.map(({ name, ...finding }) => ({ title: name, ...finding }));
  return (
    <Section
      id="gitops"
      title="GitOps repo"
      note="The service writes the state of all zones there"
      aside={
        <Button small busy={isFetching} onClick={() => void refetch()}>
          Check now
        </Button>
      }
    >
      {error && <ProblemNotice error={error} />}
      {!error && (findings ? <FindingTable findings={findings} /> : <p className="dim">Asking the code host…</p>)}
    </Section>
  );
}

import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Schemas } from '../../../api/generated/openapi.ts';
import { clustersQuery } from '../../../api/queries/clusters.ts';
import { request } from '../../../api/request.ts';
import { Button } from '../../../parts/button.tsx';
import { findRefusal } from '../../../parts/find-refusal.ts';
import { Details, Section } from '../../../parts/page.tsx';
import { ProblemNotice } from '../../../parts/problem.tsx';
import { announce } from '../../../shell/announcer.tsx';
import { ClusterZones } from './cluster-zones.tsx';
import { EditCluster } from './edit-cluster.tsx';
import { FindingTable } from '../finding-table.tsx';
import { subjectWords } from './cluster-state.tsx';
import { RemoveCluster } from './remove-cluster.tsx';

type Cluster = Schemas['Cluster'];

/** One cluster: what the last check found, what runs there, its settings and its removal. */
export function ClusterDetails({ cluster, onClose }: { cluster: Cluster; onClose: () => void }) {
  const { name, source, server, fingerprint, cloud, zones, findings } = cluster;
  const queryClient = useQueryClient();
  const check = useMutation({
    mutationFn: async () => await request('post', '/v1/clusters/{cluster}/check', { params: { cluster: name } }),
    onSuccess: async () => {
      announce(`The cluster ${name} is checked.`);
      await queryClient.invalidateQueries(clustersQuery);
    },
  });
  return (
    <>
      <Section
        id={`cluster-${name}`}
        title={name}
        note={source === 'environment' ? 'Configured by the operator' : undefined}
      >
        <div className="stack">
          <Details
            items={[
              ['API server', server === undefined ? 'Of WORKLOAD_KUBECONFIG' : <code key="server">{server}</code>],
              cloud && ['Cloud account', `${cloud.account} of ${cloud.org}`],
              cloud && ['At the cloud', <code key="cluster">{cloud.cluster}</code>],
              !cloud && [
                'Kubeconfig',
                fingerprint === undefined ? 'None stored here' : <code key="key">{fingerprint}</code>,
              ],
            ]}
          />
          {findings.length > 0 && (
            <FindingTable
              findings={findings.map(({ subject, ...finding }) => ({ title: subjectWords[subject], ...finding }))}
            />
          )}
          {check.error && <ProblemNotice error={check.error} />}
          <p>
            <Button
              small
              why={findRefusal(cluster.actions, 'checkCluster')}
              busy={check.isPending}
              aria-label={`Check ${name} now`}
              onClick={() => check.mutate()}
            >
              Check {name} now
            </Button>{' '}
            <Button small look="plain" onClick={onClose}>
              Close
            </Button>
          </p>
        </div>
      </Section>
      <Section id={`zones-${name}`} title="Zones there">
        <ClusterZones zones={zones} />
      </Section>
      {source === 'settings' && (
        <>
          <Section id={`edit-${name}`} title={`Edit ${name}`} note="Checked again before it is saved">
            <EditCluster cluster={cluster} />
          </Section>
          <RemoveCluster cluster={cluster} onRemoved={onClose} />
        </>
      )}
    </>
  );
}

import { MetricsChecks } from './checks.tsx';
import { Step } from './step.tsx';

/** Checks the servers of metrics, which an operator configures. */
export const MetricsStep = () => (
  <Step
    title="Are zones measured?"
    lead="Prometheus measures the apps of zones, and Alertmanager sends their alerts. Without them there are no objectives, no incidents from alerts and no charts; everything else works."
  >
    <MetricsChecks />
    <p>
      <code>npm start</code> runs both, unless <code>METRICS=off</code>. In a cluster, an operator names them in{' '}
      <code>PROMETHEUS_URL</code> and <code>ALERTMANAGER_URL</code>. A workload cluster gets its Prometheus when it is
      added.
    </p>
  </Step>
);

import type { Schemas } from '../../api/generated/openapi.ts';
import { Section } from '../../parts/page.tsx';
import table from '../../parts/table.module.css';
import { formatDuration } from '../../parts/time.tsx';
import { toStageWords } from './describe-span.ts';

type Activity = Schemas['Activity'];

/** The work of the agents by AgentRole. */
export const RoleTable = ({ roles }: { roles: Activity['byRole'] }) => (
  <Section id="roles" title="By AgentRole">
    {roles.length === 0 ? (
      <p className="dim">No agent worked in this time.</p>
    ) : (
      <table className={table['tbl']}>
        <thead>
          <tr>
            <th scope="col">AgentRole</th>
            {['Steps', 'Worked', 'Tokens', 'Cost'].map((title) => (
              <th key={title} scope="col" className={table['n']}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {roles.map(({ role, steps, seconds, tokens, costMicroUsd }) => (
            <tr key={role}>
              <th scope="row">{role}</th>
              <td className={table['n']} data-l="Steps">
                {steps}
              </td>
              <td className={table['n']} data-l="Worked">
                {formatDuration(seconds * 1_000)}
              </td>
              <td className={table['n']} data-l="Tokens">
                {tokens.toLocaleString('en')}
              </td>
              <td className={table['n']} data-l="Cost">
                ${(costMicroUsd / 1_000_000).toFixed(2)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    )}
  </Section>
);

/** The median and the latest time of each stage of the Releases. */
export const StageTable = ({ stages }: { stages: Activity['byStage'] }) => (
  <Section id="stages" title="By Release stage">
    {stages.length === 0 ? (
      <p className="dim">No Release was active in this time.</p>
    ) : (
      <table className={table['tbl']}>
        <thead>
          <tr>
            <th scope="col">Stage</th>
            {['Median', 'Latest'].map((title) => (
              <th key={title} scope="col" className={table['n']}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {stages.map(({ stage, isReleaseZone, medianSeconds, latest }) => (
            <tr key={`${stage} ${isReleaseZone}`}>
              <th scope="row">{toTitle(stage, isReleaseZone)}</th>
              <td className={table['n']} data-l="Median">
                {medianSeconds === undefined ? 'No data' : formatDuration(medianSeconds * 1_000)}
              </td>
              <td className={table['n']} data-l="Latest">
                {formatDuration(latest.seconds * 1_000)}
                {latest.isGoingOn && (stage === 'approval' ? ', waiting' : ', going on')}{' '}
                <span className="faint">{latest.product}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    )}
  </Section>
);

function toTitle(stage: string, isReleaseZone: boolean | undefined): string {
  const words = toStageWords(stage);
  if (isReleaseZone === undefined) return words;
  return `${isReleaseZone ? 'Production' : 'Pre-production'}: ${words.toLowerCase()}`;
}

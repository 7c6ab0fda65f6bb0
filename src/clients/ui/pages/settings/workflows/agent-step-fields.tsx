import { changeObject } from '../../../parts/change-object.ts';
import { ChoiceField, LinesField } from '../../../parts/form-fields.tsx';
import forms from '../../../parts/form.module.css';
import type { AgentStep, WorkflowStep } from './workflow-spec.ts';

/** The work of an agent in a step, and the criteria that judge it. */
export function AgentStepFields({
  step,
  before,
  pointer,
  roles,
  onChange,
}: {
  step: AgentStep;
  before: WorkflowStep[];
  pointer: string;
  roles: string[];
  onChange: (step: AgentStep) => void;
}) {
  const knownRoles = roles.includes(step.role) ? roles : [step.role, ...roles];
  const toOptional = <T extends string>(text: string): T | undefined => (text === '' ? undefined : (text as T));
  const reviewable = before.map(({ name }) => name);
  const reviewed = step.reviews === undefined || reviewable.includes(step.reviews) ? [] : [step.reviews];
  return (
    <>
      <div className={forms['side']}>
        <ChoiceField
          label="AgentRole"
          pointer={`${pointer}/role`}
          value={step.role}
          options={knownRoles.map((role) => [role, role] as const)}
          onChange={(role) => onChange({ ...step, role })}
        />
        <ChoiceField
          label="Work"
          pointer={`${pointer}/mode`}
          value={step.mode}
          options={[
            ['change', 'Changes code on the branch'],
            ['report', 'Reads and reports'],
          ]}
          onChange={(mode) => onChange({ ...step, mode: mode as AgentStep['mode'] })}
        />
        <ChoiceField
          label="Reviews"
          hint="Requested changes repeat that step."
          pointer={`${pointer}/reviews`}
          value={step.reviews ?? ''}
          options={[['', 'Nothing'], ...[...reviewed, ...reviewable].map((name) => [name, name] as const)]}
          onChange={(text) => onChange(changeObject(step, { reviews: toOptional(text) }))}
        />
        <ChoiceField
          label="Posts its draft"
          pointer={`${pointer}/deliver`}
          value={step.deliver ?? ''}
          options={[
            ['', 'Nowhere'],
            ['issue', 'As a comment on the issue'],
            ['chat', 'To the chat of the org'],
          ]}
          onChange={(text) =>
            onChange(changeObject(step, { deliver: toOptional<NonNullable<AgentStep['deliver']>>(text) }))
          }
        />
      </div>
      <LinesField
        label="Success criteria"
        hint="One in each line; the verdict judges each of them."
        pointer={`${pointer}/criteria`}
        value={step.criteria}
        onChange={(criteria) => onChange(changeObject(step, { criteria }))}
      />
      {step.deliver !== undefined && (
        <LinesField
          label="Labels to remove"
          hint="Removed from the issue after the draft is posted, one in each line."
          pointer={`${pointer}/removeLabels`}
          value={step.removeLabels}
          onChange={(removeLabels) => onChange(changeObject(step, { removeLabels }))}
        />
      )}
    </>
  );
}

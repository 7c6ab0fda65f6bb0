import type { Problem } from '../../../api/types.ts';
import { changeObject } from '../../../parts/change-object.ts';
import { AreaField, CheckField, NumberField } from '../../../parts/form-fields.tsx';
import { StepFields } from './step-fields.tsx';
import { TriggerFields } from './trigger-fields.tsx';
import type { WorkflowSpec } from './workflow-spec.ts';

export const WorkflowForm = ({
  spec,
  roles,
  timeZone,
  errors,
  onChange,
}: {
  spec: WorkflowSpec;
  roles: string[];
  timeZone: string;
  errors: Problem['errors'];
  onChange: (spec: WorkflowSpec) => void;
}) => (
  <>
    <CheckField
      label="Enabled"
      hint="Its triggers start runs. People can always start it manually."
      pointer="/spec/enabled"
      checked={spec.enabled}
      onChange={(enabled) => onChange({ ...spec, enabled })}
    />
    <AreaField
      label="Description"
      hint="What it does, and how to use it."
      pointer="/spec/description"
      rows={2}
      value={spec.description ?? ''}
      onChange={(text) => onChange(changeObject(spec, { description: text === '' ? undefined : text }))}
    />
    <TriggerFields
      triggers={spec.triggers}
      timeZone={timeZone}
      onChange={(triggers) => onChange({ ...spec, triggers })}
    />
    <StepFields steps={spec.steps} roles={roles} errors={errors} onChange={(steps) => onChange({ ...spec, steps })} />
    <NumberField
      label="Cost limit per run"
      hint="US dollars; empty for no limit of its own."
      pointer="/spec/limits/costUsdPerRun"
      min={0.01}
      step="any"
      value={spec.limits?.costUsdPerRun}
      onChange={(costUsdPerRun) =>
        onChange(changeObject(spec, { limits: costUsdPerRun === undefined ? undefined : { costUsdPerRun } }))
      }
    />
  </>
);

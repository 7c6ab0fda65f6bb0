import { changeObject } from '../../../parts/change-object.ts';
import { CheckField, LinesField, NumberField, TextField } from '../../../parts/form-fields.tsx';
import forms from '../../../parts/form.module.css';
import { tools, type RoleSpec } from './role-spec.ts';

type Limits = NonNullable<RoleSpec['limits']>;
const limits: [key: keyof Limits, label: string, hint: string][] = [
  ['turns', 'Turns', 'Requests to the model.'],
  ['tokens', 'Tokens', 'Input and output together.'],
  ['costUsd', 'Cost', 'US dollars.'],
  ['seconds', 'Duration', 'Seconds.'],
];

export function RoleForm({
  spec,
  models,
  networkRefusal,
  onChange,
}: {
  spec: RoleSpec;
  models: string[];
  /** Why the org allows no agent to reach the network. */
  networkRefusal: string | undefined;
  onChange: (spec: RoleSpec) => void;
}) {
  const allowed = spec.tools ?? tools.map(([name]) => name);
  const setLimit = (key: keyof Limits, value: number | undefined): void => {
    const next = changeObject<Limits>(spec.limits ?? {}, { [key]: value });
    onChange(changeObject(spec, { limits: Object.keys(next).length === 0 ? undefined : next }));
  };
  return (
    <>
      <LinesField
        label="Instructions"
        hint="What the agent is responsible for, one sentence in each line."
        pointer="/spec/responsibilities"
        rows={Math.min(16, spec.responsibilities.length * 2 + 1)}
        value={spec.responsibilities}
        onChange={(responsibilities) => onChange({ ...spec, responsibilities: responsibilities ?? [] })}
      />
      <TextField
        label="Model"
        hint="Empty for the default model of the org’s provider."
        pointer="/spec/model"
        list="models"
        value={spec.model ?? ''}
        onChange={(model) => onChange(changeObject(spec, { model: model === '' ? undefined : model }))}
      />
      <datalist id="models">
        {models.map((model) => (
          <option key={model} value={model} />
        ))}
      </datalist>
      <fieldset>
        <legend>Tools</legend>
        <CheckField
          label="All tools of the step"
          hint="A step that only reports never gets tools that write."
          pointer="/spec/tools"
          checked={spec.tools === undefined}
          onChange={(isAll) => onChange(changeObject(spec, { tools: isAll ? undefined : allowed }))}
        />
        {spec.tools !== undefined && (
          <div className={forms['side']}>
            {tools.map(([name, does]) => (
              <CheckField
                key={name}
                label={does}
                hint={<code>{name}</code>}
                checked={allowed.includes(name)}
                onChange={(isAllowed) =>
                  onChange({
                    ...spec,
                    tools: tools
                      .map(([one]) => one)
                      .filter((one) => (one === name ? isAllowed : allowed.includes(one))),
                  })
                }
              />
            ))}
          </div>
        )}
      </fieldset>
      <fieldset>
        <legend>Network</legend>
        <CheckField
          label="Commands may reach the network"
          hint={networkRefusal ?? 'Otherwise the sandbox has no network at all.'}
          pointer="/spec/network"
          checked={spec.network === true}
          onChange={(network) => onChange(changeObject(spec, { network: network ? true : undefined }))}
        />
      </fieldset>
      <fieldset>
        <legend>Limits of a step</legend>
        <p className="dim small">A step that reaches one asks a person for guidance, which resets them.</p>
        <div className={forms['side']}>
          {limits.map(([key, label, hint]) => (
            <NumberField
              key={key}
              label={label}
              hint={hint}
              pointer={`/spec/limits/${key}`}
              min={0}
              step="any"
              value={spec.limits?.[key]}
              onChange={(value) => setLimit(key, value)}
            />
          ))}
        </div>
      </fieldset>
    </>
  );
}

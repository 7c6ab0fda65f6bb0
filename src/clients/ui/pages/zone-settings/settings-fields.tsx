import { useId } from 'react';
import { Field } from '../../parts/field.tsx';
import field from '../../parts/field.module.css';
import { accesses, policies } from '../../parts/zone-terms.ts';
import { AddressesField } from './addresses-field.tsx';
import { formatSetting, listChanged, type Setting } from './zone-draft.ts';
import { ErrorText, Was, type FieldsProps } from './field-parts.tsx';
import { VolumesField } from './volumes-field.tsx';
import styles from './zone-settings.module.css';

/** The settings that a new zone needs too. */
export function EntryFields({ base, draft, findError, onChange }: Omit<FieldsProps, 'org' | 'ownHost'>) {
  const changed = listChanged(base, draft);
  return (
    <>
      <Choice
        legend="Who can open it"
        was={changed.includes('access') ? formatSetting(base, 'access') : undefined}
        error={findError('access')}
        value={draft.access}
        options={[
          ['signed-in', accesses['signed-in'], 'People who can see the Product'],
          ['public', accesses.public, 'Anyone with the address'],
          ['none', accesses.none, 'Reachable only inside the cluster'],
        ]}
        onChange={(access) => onChange({ access })}
      />
      <Choice
        legend="Releases arrive"
        was={changed.includes('promotionPolicy') ? formatSetting(base, 'promotionPolicy') : undefined}
        error={findError('promotionPolicy')}
        value={draft.promotionPolicy}
        options={[
          ['automatic', policies.automatic, 'As soon as the earlier zones are verified'],
          ['after-approval', policies['after-approval'], 'A person approves each one; the default for production'],
        ]}
        onChange={(promotionPolicy) => onChange({ promotionPolicy })}
      />
    </>
  );
}

type SettingsFieldsProps = FieldsProps & {
  /** Whether the service created the repo of the Product, from a template or an archive. */
  isScaffolded: boolean;
};

export function SettingsFields({ isScaffolded, ...props }: SettingsFieldsProps) {
  const { base, draft, findError, onChange } = props;
  const hasStorage = isScaffolded || base.volumes.length > 0 || draft.volumes.length > 0;
  const changed = listChanged(base, draft);
  const toHint = (setting: Setting, hint: string): string =>
    changed.includes(setting) ? `${hint} Was ${formatSetting(base, setting)}.` : hint;
  const toField = (setting: 'replicas' | 'cpu' | 'memory' | 'verifyUrl' | 'verifyTimeout', hint: string) => ({
    name: setting,
    value: draft[setting],
    onChange: ({ target }: { target: HTMLInputElement }) => onChange({ [setting]: target.value }),
    isChanged: changed.includes(setting),
    hint: toHint(setting, hint),
    error: findError(setting),
    spellCheck: false,
    autoComplete: 'off',
  });
  return (
    <>
      <EntryFields {...props} />
      <AddressesField {...props} isChanged={changed.includes('addresses')} />
      <fieldset>
        <legend className="sr">Size</legend>
        <div className={styles['trio']}>
          <Field label="Replicas" inputMode="numeric" {...toField('replicas', '0 to 20; 1 if empty.')} />
          <Field label="CPU per pod" {...toField('cpu', 'Reserved, such as “500m” or “0.5”; none if empty.')} />
          <Field label="Memory per pod" {...toField('memory', 'Reserved, and its limit; none if empty.')} />
        </div>
      </fieldset>
      {hasStorage && <VolumesField {...props} isChanged={changed.includes('volumes')} />}
      <fieldset>
        <legend>Smoke check</legend>
        <div className={styles['check']}>
          <Field label="URL" {...toField('verifyUrl', 'Requested after each promotion; the address if empty.')} />
          <Field
            label="Seconds"
            inputMode="numeric"
            {...toField('verifyTimeout', 'Until the app must respond; 60 if empty.')}
          />
        </div>
      </fieldset>
    </>
  );
}

type ChoiceProps<Value extends string> = {
  legend: string;
  was: string | undefined;
  error: string | undefined;
  value: Value;
  options: [value: Value, label: string, note: string][];
  onChange: (value: Value) => void;
};

function Choice<Value extends string>({ legend, was, error, value, options, onChange }: ChoiceProps<Value>) {
  const id = useId();
  return (
    <fieldset
      className={was === undefined ? undefined : styles['changed']}
      role="radiogroup"
      aria-invalid={error === undefined ? undefined : true}
      aria-describedby={error === undefined ? undefined : `${id}-error`}
    >
      <legend>
        {legend} {was !== undefined && <Was>{was}</Was>}
      </legend>
      <div>
        {options.map(([option, label, note]) => (
          <div key={option} className={field['opt']}>
            <input
              type="radio"
              name={id}
              id={`${id}-${option}`}
              checked={option === value}
              onChange={() => onChange(option)}
            />
            <label htmlFor={`${id}-${option}`}>
              {label}
              <span>{note}</span>
            </label>
          </div>
        ))}
      </div>
      <ErrorText id={`${id}-error`}>{error}</ErrorText>
    </fieldset>
  );
}

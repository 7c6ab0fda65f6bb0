import { useId, type ComponentProps, type ReactNode } from 'react';
import { useFieldError } from './form.tsx';
import field from './field.module.css';
import styles from './form.module.css';

type Common = {
  label: string;
  hint?: ReactNode;
  /** The place of the value in the body of the request, to which the API's errors point. */
  pointer?: string | readonly string[];
  isChanged?: boolean;
};
type ControlProps = { id: string; 'aria-invalid': true | undefined; 'aria-describedby': string };

function Labelled({
  label,
  hint,
  pointer,
  isChanged,
  children,
}: Common & { children: (props: ControlProps) => ReactNode }) {
  const id = useId();
  const error = useFieldError(pointer);
  return (
    <div className={`${field['field']} ${isChanged ? styles['changed'] : ''}`}>
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-invalid': error === undefined ? undefined : true, 'aria-describedby': `${id}-hint` })}
      <span id={`${id}-hint`} className={error === undefined ? field['hint'] : field['err']}>
        {error ?? hint}
      </span>
    </div>
  );
}

type Value = { value: string; onChange: (value: string) => void };
type TextValue = Omit<Value, 'value'> & { value: string | number };

export const TextField = ({
  label,
  hint,
  pointer,
  isChanged = false,
  mono = false,
  onChange,
  ...rest
}: Common & TextValue & { mono?: boolean } & Omit<ComponentProps<'input'>, keyof Value>) => (
  <Labelled label={label} hint={hint} {...(pointer !== undefined && { pointer })} isChanged={isChanged}>
    {(control) => (
      <input
        autoComplete="off"
        {...rest}
        {...control}
        className={`${field['input']} ${styles['box']} ${mono ? 'mono' : ''}`}
        onChange={(event) => onChange(event.target.value)}
      />
    )}
  </Labelled>
);

export const AreaField = ({
  label,
  hint,
  pointer,
  isChanged = false,
  onChange,
  rows = 3,
  ...rest
}: Common & Value & Omit<ComponentProps<'textarea'>, keyof Value>) => (
  <Labelled label={label} hint={hint} {...(pointer !== undefined && { pointer })} isChanged={isChanged}>
    {(control) => (
      <textarea
        {...rest}
        {...control}
        rows={rows}
        className={`${styles['area']} ${styles['box']}`}
        onChange={(event) => onChange(event.target.value)}
      />
    )}
  </Labelled>
);

export const ChoiceField = ({
  label,
  hint,
  pointer,
  isChanged = false,
  value,
  options,
  onChange,
}: Common & Value & { options: (readonly [value: string, text: string])[] }) => (
  <Labelled label={label} hint={hint} {...(pointer !== undefined && { pointer })} isChanged={isChanged}>
    {(control) => (
      <select
        {...control}
        className={`${field['select']} ${styles['box']}`}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      >
        {options.map(([key, text]) => (
          <option key={key} value={key}>
            {text}
          </option>
        ))}
      </select>
    )}
  </Labelled>
);

/** A switch with what it means below its label. */
export function CheckField({
  label,
  hint,
  pointer,
  checked,
  onChange,
}: Common & { checked: boolean; onChange: (checked: boolean) => void }) {
  const id = useId();
  const error = useFieldError(pointer);
  return (
    <div className={field['opt']}>
      <input
        type="checkbox"
        id={id}
        checked={checked}
        aria-invalid={error === undefined ? undefined : true}
        aria-describedby={`${id}-hint`}
        onChange={(event) => onChange(event.target.checked)}
      />
      <div>
        <label htmlFor={id}>{label}</label>
        <span id={`${id}-hint`} className={error === undefined ? undefined : styles['wrong']}>
          {error ?? hint}
        </span>
      </div>
    </div>
  );
}

/** A list of texts, one in each line. */
export const LinesField = ({
  value,
  onChange,
  ...rest
}: Common & {
  value: readonly string[] | undefined;
  onChange: (value: string[] | undefined) => void;
  rows?: number;
}) => (
  <AreaField
    rows={Math.min(12, Math.max(2, value?.length ?? 0))}
    {...rest}
    value={value?.join('\n') ?? ''}
    onChange={(text) => onChange(text === '' ? undefined : text.split('\n'))}
  />
);

/** A number that may be left out, unless it is required. */
export const NumberField = ({
  value,
  onChange,
  ...rest
}: Common & {
  value: number | undefined;
  onChange: (value: number | undefined) => void;
  min?: number;
  max?: number;
  step?: number | 'any';
  required?: boolean;
}) => (
  <TextField
    {...rest}
    type="number"
    inputMode="decimal"
    // A text would replace what is being typed: "0.0" of "0.05" is the number 0.
    value={value ?? ''}
    onChange={(text) => onChange(text === '' ? undefined : Number(text))}
  />
);

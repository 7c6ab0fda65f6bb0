import type { Schemas } from '../../api/generated/openapi.ts';
import field from '../../parts/field.module.css';

type Template = Schemas['Template'];

/** The templates; one that this installation cannot build stays, with the reason. */
export function TemplateChoice({ templates, error }: { templates: Template[]; error: string | undefined }) {
  const first = templates.find(({ available }) => available);
  return (
    <fieldset
      className={field['field']}
      role="radiogroup"
      aria-invalid={error !== undefined || undefined}
      aria-describedby={error === undefined ? undefined : 'template-error'}
    >
      <legend>Template</legend>
      {templates.map(({ name, title, description, available, unavailableReason }) => (
        <div key={name} className={field['opt']}>
          <input
            type="radio"
            name="template"
            id={`template-${name}`}
            value={name}
            defaultChecked={name === first?.name}
            disabled={!available}
            aria-describedby={`template-${name}-hint`}
          />
          <label htmlFor={`template-${name}`}>
            {title}
            <span id={`template-${name}-hint`}>
              {description}
              {unavailableReason !== undefined && ` Not available here: ${unavailableReason}`}
            </span>
          </label>
        </div>
      ))}
      {error !== undefined && (
        <span id="template-error" className={field['err']}>
          {error}
        </span>
      )}
    </fieldset>
  );
}

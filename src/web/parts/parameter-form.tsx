import type { ConverterParameter, Parameter } from '../client/api.ts';
import { texts } from '../texts.ts';
import { Check, Field } from './field.tsx';

/** What stands in the fields, by name of the parameter. Absent: the default value. */
export type ParameterTexts = Readonly<Record<string, string>>;

interface ParameterFormProps {
  /** As `GET /api/conversion/writer/{name}` describes them. */
  parameters: readonly ConverterParameter[];
  values: ParameterTexts;
  onChange: (values: ParameterTexts) => void;
  /** Shows also what is wrong with fields that are empty. */
  strict?: boolean;
}

/** The parameters of a reader or writer, as a form. */
export const ParameterForm = ({ parameters, values, onChange, strict = false }: ParameterFormProps) => (
  <div class="stack">
    {parameters.map((parameter) => (
      <ParameterField
        key={parameter.name}
        parameter={parameter}
        value={values[parameter.name]}
        error={strict || values[parameter.name] ? parameterError(parameter, values[parameter.name]) : undefined}
        onInput={(text) => onChange({ ...values, [parameter.name]: text })}
      />
    ))}
  </div>
);

function ParameterField({
  parameter,
  value,
  error,
  onInput,
}: {
  parameter: ConverterParameter;
  value: string | undefined;
  error: string | undefined;
  onInput: (text: string) => void;
}) {
  const { name, description, required, defaultValue, allowedValues } = parameter;
  const type = kindOf(parameter);
  if (type === 'boolean')
    return (
      <div>
        <Check
          label={name}
          checked={(value ?? String(defaultValue ?? false)) === 'true'}
          onChange={(checked) => onInput(String(checked))}
        />
        <p class="hint">{description}</p>
      </div>
    );
  const hint = `${description}${defaultValue === undefined ? '' : ` ${texts.defaultValue(defaultValue)}.`}`;
  const shared = { label: name, value: value ?? '', onInput, hint, error, optional: !required };
  if (allowedValues !== undefined)
    return (
      <Field
        {...shared}
        options={[
          ...(required ? [] : [{ value: '', name: defaultValue === undefined ? texts.none : String(defaultValue) }]),
          ...allowedValues.map((one) => ({ value: String(one), name: String(one) })),
        ]}
      />
    );
  return <Field {...shared} type={type === 'number' ? 'number' : 'text'} lines={type === 'json'} />;
}

type Kind = 'boolean' | 'number' | 'text' | 'json';

function kindOf({ dataType }: ConverterParameter): Kind {
  const type = dataType.toLowerCase();
  if (/^bool/.test(type)) return 'boolean';
  if (/^(?:int|double|float|number|decimal|long)\w*$/.test(type)) return 'number';
  return /^(?:string|text|datetime|date)$/.test(type) ? 'text' : 'json';
}

/** What is wrong with the text of a parameter; undefined: nothing. */
export function parameterError(parameter: ConverterParameter, text: string | undefined): string | undefined {
  const { required, minimum, maximum } = parameter;
  if (text === undefined || text.trim() === '') return required ? texts.required : undefined;
  if (kindOf(parameter) !== 'number') return undefined;
  const value = Number(text);
  if (!Number.isFinite(value)) return texts.notNumber;
  if ((minimum ?? value) <= value && value <= (maximum ?? value)) return undefined;
  if (minimum === undefined) return texts.atMost(maximum);
  return maximum === undefined ? texts.atLeast(minimum) : texts.between(minimum, maximum);
}

/** The parameters of a request: those that differ from nothing, with values of their type. */
export function parameterValues(parameters: readonly ConverterParameter[], values: ParameterTexts): Parameter[] {
  return parameters.flatMap((parameter) => {
    const text = values[parameter.name]?.trim() ?? '';
    return text === '' ? [] : [{ name: parameter.name, value: typedValue(parameter, text) }];
  });
}

function typedValue(parameter: ConverterParameter, text: string): unknown {
  switch (kindOf(parameter)) {
    case 'boolean':
      return text === 'true';
    case 'number':
      return Number(text);
    case 'text':
      return text;
    case 'json':
      return /^[[{"\d-]|^(?:true|false)$/.test(text) ? parseOr(text) : text;
  }
}

/** JSON, or the text where it is none: a parameter may take either. */
function parseOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

// Runs sysconfig scripts with a stand-in for `scripting`, and prints what they set: for each text of the
// JSON array on standard input the modules in order, with their instances in the order of their creation.
"use strict";
const fs = require("fs");

function recorder(into, prefix) {
  return new Proxy({}, {
    get: (_, key) => recorder(into, `${prefix}${String(key)}.`),
    set: (_, key, value) => {
      into[`${prefix}${String(key)}`] = value;
      return true;
    },
  });
}

function dump(text) {
  const modules = [];
  const scripting = {
    addModule(path) {
      const module = { path, properties: {}, instances: [] };
      modules.push(module);
      return new Proxy({}, {
        get: (_, key) => {
          if (key !== "addInstance") {
            return recorder(module.properties, `${String(key)}.`);
          }
          return () => {
            const properties = {};
            module.instances.push(properties);
            return recorder(properties, "");
          };
        },
        set: (_, key, value) => {
          module.properties[String(key)] = value;
          return true;
        },
      });
    },
  };
  try {
    new Function("scripting", `"use strict";${text}`)(scripting);
  } catch (problem) {
    return { problem: String(problem) };
  }
  return { modules };
}

const texts = JSON.parse(fs.readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(texts.map((text) => dump(text.replace(/^\uFEFF/, ""))),
  (_, value) => typeof value === "bigint" ? `${value}n` : value));

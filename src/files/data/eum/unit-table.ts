/**
 * Units of DHI's EUM tables (Engineering Unit Management, `EUM.xml` as it comes with MIKE Zero and with mikecore).
 * A line a unit: code, identifier without `eumU`, name, symbol.
 */
export const EUM_UNITS = `\
0|UnitUndefined|undefined|undefined
1000|meter|meter|m
1001|kilometer|kilometer|km
1002|millimeter|millimeter|mm
1003|feet|feet|feet
1004|inch|inch|inch
1005|mile|mile|mile
1006|yard|yard|yard
1007|centimeter|centimeter|cm
1008|micrometer|micrometer|microm
1009|nauticalmile|nautical mile|nautical*mile
1010|millifeet|millifeet|millifeet
1011|LiterPerM2|liter per meter pow 2|l/m^2
1012|MilliMeterD50|millimeterD50|mmD50
1013|inchUS|inch US|inch*US
1014|feetUS|feet US|feet*US
1015|yardUS|yard US|yard*US
1016|mileUS|mile US|mile*US
1200|kilogram|kilogram|kg
1201|gram|gram|g
1202|milligram|milligram|mg
1203|microgram|microgram|microg
1204|ton|ton|ton
1205|kiloton|kiloton|kiloton
1206|megaton|megaton|megaton
1207|Pound|pound|pound
1208|tonUS|ton US|ton*US
1209|ounce|ounce|ounce
1250|perKilogram|per kg|per*kg
1251|perGram|per gram|per*g
1252|perMilligram|per mg|per*mg
1253|perMicrogram|per mu g|per*mu*g
1254|perTon|per ton|per*ton
1255|perKiloton|per kiloton|per*kiloton
1256|perMegaton|per megaton|per*megaton
1257|perPound|per pound|per*pound
1258|perTonUS|per ton US|per*ton*US
1259|perOunce|per ounce|per*ounce
1400|sec|second|s
1401|minute|minute|minute
1402|hour|hour|hour
1403|day|day|day
1404|year|year|year
1405|month|month|month
1406|millisec|millisecond|millis
1600|m3|meter pow 3|m^3
1601|liter|liter|l
1602|milliliter|milliliter|millil
1603|ft3|feet pow 3|feet^3
1604|gal|gallon|gallon
1605|mgal|milligallon|milligallon
1606|km3|km pow 3|km^3
1607|acft|acre feet|acre*feet
1608|MegaGal|megagallon|megagallon
1609|MegaLiter|megaliter|megal
1610|TenTo6m3| 10 pow 6meter pow 3|*10*pow*6m^3
1611|m3PerCurrency|meter pow 3 per currency|m^3/currency
1612|galUK|gallonUK|gallonUK
1613|MegagalUK|megagallonUK|megagallonUK
1614|ydUS3|yard US pow 3|yard*US^3
1615|Yard3|yard pow 3|yard^3
1800|m3PerSec|meter pow 3 per sec|m^3/s
1801|ft3PerSec|feet pow 3 per sec|feet^3/s
1802|MlPerDay|Ml per day|Ml/day
1803|MgalPerDay|Mgal per day|Mgal/day
1804|acftPerDay|acre feet per day|acre*feet/day
1805|m3PerYear|meter pow 3 per year|m^3/year
1806|GalPerDayPerHead|gal per day per head|gal/day/head
1807|LiterPerDayPerHead|liter per day per head|l/day/head
1808|m3PerSecPerHead|meter pow 3 per sec per head|m^3/s/head
1809|literPerPersonPerDay|liter per person per day|l/person/day
1810|m3PerDay|meter pow 3 per day|m^3/day
1811|GalPerSec|gallon per sec|gallon/s
1812|GalPerDay|gallon per day|gallon/day
1813|GalPerYear|gallon per year|gallon/year
1814|ft3PerDay|feet pow 3 per day|feet^3/day
1815|ft3PerYear|feet pow 3 per year|feet^3/year
1816|m3PerMinute|meter pow 3 per min|m^3/min
1817|ft3PerMin|feet pow 3 per min|feet^3/min
1818|GalPerMin|gallon per min|gallon/min
1819|literPerSec|liter per sec|l/s
1820|literPerMin|liter per minute|l/minute
1821|m3PerHour|meter pow 3 per hour|m^3/hour
1822|galUKPerDay|galUK per day|galUK/day
1823|MgalUKPerDay|MgalUK per day|MgalUK/day
1824|ft3PerDayPerHead|feet pow 3 per PE per day|feet^3/PE/day
1825|m3PerDayPerHead|meter pow 3 per PE per day|m^3/PE/day
1826|GalUKPerSec|galUK per sec|galUK/s
1827|GalUKPerYear|galUK per year|galUK/year
1828|GalUKPerDayPerHead|galUK per PE per day|galUK/PE/day
1829|ydUS3PerSec|ydUS3 per sec|ydUS3/s
1830|yard3PerSec|yard pow 3 per sec|yard^3/s
1831|ftUS3PerSec|feet US pow 3 per sec|feet*US^3/s
1832|ftUS3PerMin|feet US pow 3 per min|feet*US^3/min
1833|ftUS3PerDay|feet US pow 3 per day|feet*US^3/day
1834|ftUS3PerYear|feet US pow 3 per year|feet*US^3/year
1835|yardUS3PerSec|yard US pow 3 per sec|yard*US^3/s
1836|literPerDay|liter per day|l/day
2000|meterPerSec|meter per sec|m/s
2001|millimeterPerHour|mm per hour|mm/hour
2002|feetPerSec|feet per sec|feet/s
2003|literPerSecPerKm2|liter per sec per km pow 2|l/s/km^2
2004|millimeterPerDay|mm per day|mm/day
2005|acftPerSecPerAcre|acre feet per sec per acre|acre*feet/s/acre
2006|meterPerDay|meter per day|m/day
2007|ft3PerSecPerMi2|feet pow 3 per sec per mile pow 2|feet^3/s/mile^2
2008|meterPerHour|meter per hour|m/hour
2009|feetPerDay|feet per day|feet/day
2010|millimeterPerMonth|mm per month|mm/month
2011|inchPerSec|inch per sec|inch/s
2012|meterPerMinute|meter per min|m/min
2013|feetPerMinute|feet per min|feet/min
2014|inchPerMinute|inch per min|inch/min
2015|feetPerHour|feet per hour|feet/hour
2016|inchPerHour|inch per hour|inch/hour
2017|millimeterPerSecond|mm per sec|mm/s
2018|cmPerHour|cm per hour|cm/hour
2019|knot|knot|knot
2020|milePerHour|miles per hour|miles/hour
2021|kilometerPerHour|km per hour|km/hour
2022|AcreFeetPerDayPerAcre|acre feet per day per acre|acre*feet/day/acre
2023|CentiMeterPerSecond|cm per sec|cm/s
2024|CubicFeetPerSecondPerAcre|feet pow 3 per acre per sec|feet^3/acre/s
2025|CubicMeterPerDayPerHectar|meter pow 3 per ha per day|m^3/ha/day
2026|CubicMeterPerHourPerHectar|meter pow 3 per ha per hour|m^3/ha/hour
2027|CubicMeterPerSecondPerHectar|meter pow 3 per ha per sec|m^3/ha/s
2028|GallonPerMinutePerAcre|gallon per min per acre|gallon/min/acre
2029|LiterPerMinutePerHectar|liter per min per ha|l/min/ha
2030|LiterPerSecondPerHectar|liter per sec per ha|l/s/ha
2031|MicroMeterPerSecond|mu m per sec|mu*m/s
2032|MillionGalPerDayPerAcre|Mgal per day per acre|Mgal/day/acre
2033|MillionGalUKPerDayPerAcre|MgalUK per day per acre|MgalUK/day/acre
2034|MillionLiterPerDayPerHectar|Ml per day per ha|Ml/day/ha
2035|inchUSPerSecond|inch US per sec|inch*US/s
2036|feetUSPerSecond|feet US per sec|feet*US/s
2037|feetUSPerDay|feet US per day|feet*US/day
2038|inchUSPerHour|inch US per hour|inch*US/hour
2039|inchUSPerMinute|inch US per min|inch*US/min
2040|millimeterPerYear|mm per year|mm/year
2041|CubicFeetPerHourPerAcre|feet pow 3 per acre per hour|feet^3/acre/hour
2042|CubicFeetPerDayPerAcre|feet pow 3 per acre per day|feet^3/acre/day
2043|LiterPerHourPerHectar|liter per hour per ha|l/hour/ha
2044|LiterPerDayPerHectar|liter per day per ha|l/day/ha
2100|MeterPerSecondPerSecond|meter per sec pow 2|m/s^2
2101|FeetPerSecondPerSecond|feet per sec pow 2|feet/s^2
2200|kiloGramPerM3|kg per meter pow 3|kg/m^3
2201|microGramPerM3|mu g per meter pow 3|mu*g/m^3
2202|milliGramPerM3|mg per meter pow 3|mg/m^3
2203|gramPerM3|gram per meter pow 3|g/m^3
2204|microGramPerL|mu g per liter|mu*g/l
2205|milliGramPerL|mg per liter|mg/l
2206|gramPerL|gram per liter|g/l
2207|PoundPerCubicFeet|pound per feet pow 3|pound/feet^3
2208|tonPerM3|ton per meter pow 3|ton/m^3
2209|PoundPerSquareFeet|pound per feet pow 2|pound/feet^2
2210|tonPerM2|ton per meter pow 2|ton/m^2
2211|microGramPerM2|mu g per meter pow 2|mu*g/m^2
2212|PoundPerydUS3|pound per yard US pow 3|pound/yard*US^3
2213|PoundPeryard3|pound per yard pow 3|pound/yard^3
2214|PoundPerCubicFeetUS|pound per feet US pow 3|pound/feet*US^3
2215|PoundPerSquareFeetUS|pound per feet US pow 2|pound/feet*US^2
2216|ouncePerCubicFeet|ounce per cubic feet|ounce/cubic*feet
2217|ouncePerCubicFeetUS|ounce per cubic feet US|ounce/cubic*feet*US
2218|ouncePerYard3|ounce per Yard3|ounce/Yard3
2219|ouncePerYardUS3|ounce per yard US3|ounce/yard*US3
2220|ouncePerSquareFeet|ounce per square feet|ounce/square*feet
2221|ouncePerSquareFeetUS|ounce per square feet US|ounce/square*feet*US
2300|KiloGramPerMeterPerSecond|kg per meter per sec|kg/m/s
2301|PascalSecond|Pascal second|Pascal*s
2302|kilogramPerMeterPerDay|kilogram per meter per day|kg/m/day
2303|gramPerMeterPerDay|gram per Meter per Day|g/Meter/Day
2304|gramPerKmPerDay|gram per Km per Day|g/Km/Day
2305|poundPerFeetPerDay|pound per Feet per Day|pound/Feet/Day
2306|poundPerFeetUSPerDay|pound per FeetUS per Day|pound/FeetUS/Day
2307|ouncePerFeetPerDay|ounce per Feet per Day|ounce/Feet/Day
2308|ouncePerFeetUSPerDay|ounce per FeetUS per Day|ounce/FeetUS/Day
2309|kilogramPerYardPerSecond|kilogram per Yard per Second|kg/Yard/Second
2310|kilogramPerFeetPerSecond|kilogram per Feet per Second|kg/Feet/Second
2311|poundPerYardPerSecond|pound per Yard per Second|pound/Yard/Second
2312|poundPerFeetPerSecond|pound per Feet per Second|pound/Feet/Second
2400|radian|radian|radian
2401|degree|degree|degree
2402|DegreeNorth50|degree50|degree50
2403|degreesquared|degree pow 2|degree^2
2404|radiansquared|radian pow 2|radian^2
2500|degreePerMeter|degree per meter|degree/m
2501|radianPerMeter|radian per meter|radian/m
2510|degreePerSecond|degree per sec|degree/s
2511|radianPerSecond|radian per sec|radian/s
2600|perDay|per day|per*day
2601|percentPerDay|percent per day|percent/day
2602|hertz|hertz|Hz
2603|perHour|per hour|per*hour
2604|currencyPerYear|currency per year|currency/year
2605|perSec|per sec|per*s
2606|billionPerDay| 10 pow 9 per day|*10*pow*9/day
2607|trillionPerYear| 10 pow 12 per year|*10*pow*12/year
2608|SquareMeterPerSecondPerHectar|meter pow 2 per sec per ha|m^2/s/ha
2609|SquareFeetPerSecondPerAcre|feet pow 2 per sec per acre|feet^2/s/acre
2610|RevolutionPerMinute|rev per min|rev/min
2611|percentPerHour|percent per hour|percent/hour
2612|percentPerMinute|percent per min|percent/min
2613|percentPerSecond|percent per sec|percent/s
2614|RevolutionPerSecond|revolution per second|revolution/s
2615|RevolutionPerHour|revolution per hour|revolution/hour
2800|degreeCelsius|degree Celsius|degree*Celsius
2801|degreeFahrenheit|degree Fahrenheit|degree*Fahrenheit
2802|degreeKelvin|degree Kelvin|degree*Kelvin
2850|perDegreeCelsius| per degree C|/degree*C
2851|perDegreeFahrenheit| per degree F|/degree*F
2900|deltaDegreeCelsius|delta degree Celsius|delta*degree*Celsius
2901|deltaDegreeFahrenheit|delta degree Fahrenheit|delta*degree*Fahrenheit
3000|millPer100ml|million per  100 ml|million/*100*ml
3001|Per100ml|per  100 ml|per**100*ml
3002|perLiter|per liter|per*l
3003|perM3|per meter pow 3|per*m^3
3004|perMilliliter|per ml|per*ml
3005|perFt3|per feet pow 3|per*feet^3
3006|perGallon|per gal|per*gal
3007|perMilligallon|per mgal|per*mgal
3008|perKm3|per km pow 3|per*km^3
3009|perAcft|per acre feet|per*acre*feet
3010|perMegagallon|per Mgal|per*Mgal
3011|perMegaliter|per Ml|per*Ml
3012|perGallonUK|per gallonUK|per*gallonUK
3013|perMegagallonUK|per MgalUK|per*MgalUK
3014|perYardUS3|per yard US pow 3|per*yard*US^3
3015|perYard3|per yard pow 3|per*yard^3
3100|SecPerMeter|sec per meter|s/m
3200|m2|meter pow 2|m^2
3201|m3PerM|meter pow 3 per meter|m^3/m
3202|acre|acre|acre
3203|ft2|feet pow 2|feet^2
3204|ha|hectare|hectare
3205|km2|km pow 2|km^2
3206|mi2|mile pow 2|mile^2
3207|ft3PerFt|feet pow 3 per feet|feet^3/feet
3208|ftUS2|feet US pow 2|feet*US^2
3209|ydUS2|yard US pow 2|yard*US^2
3210|miUS2|mile US pow 2|mile*US^2
3211|acreUS|acre US|acre*US
3212|ydUS3PeryardUS|yard US pow 3 per yard US|yard*US^3/yard*US
3213|Yard3PerYard|yard pow 3 per yard|yard^3/yard
3214|ftUS3PerftUS|feet US pow 3 per feet US|feet*US^3/feet*US
3215|literPerMeter|liter per meter|l/m
3400|EPerM2PerDay|Einstein per meter pow 2 per day|Einstein/m^2/day
3401|ThousandPerM2PerDay| 1000 per meter pow 2 per day|*1000/m^2/day
3402|PerM2PerSec| per meter pow 2 per sec|/m^2/s
3600|Meter2One3rdPerSec|meter pow  1 per 3  per sec|m*pow**1/3*/s
3601|Feet2One3rdPerSec|feet pow  1 per 3  per sec|feet*pow**1/3*/s
3800|SecPerMeter2One3rd|sec per meter pow  1 per 3 |s/m*pow**1/3*
3801|SecPerFeet2One3rd|sec per feet pow  1 per 3 |s/feet*pow**1/3*
4000|Meter2OneHalfPerSec|meter pow  1 per 2  per sec|m*pow**1/2*/s
4001|Feet2OneHalfPerSec|feet pow  1 per 2  per sec|feet*pow**1/2*/s
4002|FeetUS2OneHalfPerSec|feet US pow  1 per 2  per sec|feet*US*pow**1/2*/s
4200|kilogramPerSec|kg per sec|kg/s
4201|microgramPerSec|mu g per sec|mu*g/s
4202|milligramPerSec|mg per sec|mg/s
4203|gramPerSec|gram per sec|g/s
4204|kilogramPerHour|kg per hour|kg/hour
4205|kilogramPerDay|kg per day|kg/day
4206|gramPerDay|gram per day|g/day
4207|kilogramPerYear|kg per year|kg/year
4208|GramPerMinute|gram per min|g/min
4209|KiloGramPerPersonPerDay|kg per PE per day|kg/PE/day
4210|KilogramPerMinute|kg per min|kg/min
4212|PoundPerDay|pound per day|pound/day
4213|PoundPerHour|pound per hour|pound/hour
4214|PoundPerMinute|pound per min|pound/min
4215|PoundPerSecond|pound per sec|pound/s
4216|PoundPerPersonPerDay|pound per PE per day|pound/PE/day
4217|PoundPerYear|pound per year|pound/year
4218|TonPerYear|ton per year|ton/year
4219|TonPerDay|ton per day|ton/day
4220|TonPerSec|ton per sec|ton/s
4400|gramPerM2|gram per meter pow 2|g/m^2
4401|kilogramPerM|kg per meter|kg/m
4402|kilogramPerM2|kg per meter pow 2|kg/m^2
4403|kilogramPerHa|kg per ha|kg/ha
4404|milligramPerM2|mg per meter pow 2|mg/m^2
4405|PoundPerAcre|pound per acre|pound/acre
4406|kilogramPerKm2|kg per km pow 2|kg/km^2
4407|tonPerKm2|ton per km pow 2|ton/km^2
4408|gramPerKm2|gram per km pow 2|g/km^2
4409|tonPerHa|ton per ha|ton/ha
4410|gramPerHa|gram per ha|g/ha
4411|PoundPerMi2|pound per mile pow 2|pound/mile^2
4412|kilogramPerAcre|kg per acre|kg/acre
4413|kilogramPerSquareFeet|kg per feet pow 2|kg/feet^2
4414|kilogramPerMi2|kg per mile pow 2|kg/mile^2
4415|tonPerAcre|ton per acre|ton/acre
4416|tonPerSquareFeet|ton per feet pow 2|ton/feet^2
4417|tonPerMi2|ton per mile pow 2|ton/mile^2
4418|gramPerAcre|gram per acre|g/acre
4419|gramPerSquareFeet|gram per feet pow 2|g/feet^2
4420|gramPerMi2|gram per mile pow 2|g/mile^2
4421|PoundPerHa|pound per ha|pound/ha
4422|PoundPerM2|pound per meter pow 2|pound/m^2
4423|PoundPerKm2|pound per km pow 2|pound/km^2
4424|milligramPerHa|mg per ha|mg/ha
4425|milligramPerKm2|mg per km pow 2|mg/km^2
4426|milligramPerAcre|mg per acre|mg/acre
4427|milligramPerSquareFeet|mg per feet pow 2|mg/feet^2
4428|milligramPerMi2|mg per mile pow 2|mg/mile^2
4429|PoundPerMeter|pound per meter|pound/m
4430|tonPerMeter|ton per meter|ton/m
4431|poundPerFeet|pound per Feet|pound/Feet
4432|poundPerYard|pound per Yard|pound/Yard
4433|poundPerFeetUS|pound per FeetUS|pound/FeetUS
4434|poundPerYardUS|pound per YardUS|pound/YardUS
4435|ouncePerFeet|ounce per Feet|ounce/Feet
4436|ouncePerYard|ounce per Yard|ounce/Yard
4437|ouncePerFeetUS|ounce per FeetUS|ounce/FeetUS
4438|ouncePerYardUS|ounce per YardUS|ounce/YardUS
4439|kilogramPerYard|kilogram per Yard|kg/Yard
4440|kilogramPerFeet|kilogram per Feet|kg/Feet
4500|gramPerM2PerDay|gram per meter pow 2 per day|g/m^2/day
4501|gramPerM2PerSec|gram per meter pow 2 per sec|g/m^2/s
4502|kilogramPerHaPerHour|kg per ha per hour|kg/ha/hour
4503|kilogramPerM2PerSec|kg per meter pow 2 per sec|kg/m^2/s
4504|KiloGramPerHectarPerDay|kg per ha per day|kg/ha/day
4505|PoundPerAcrePerDay|pound per acre per day|pound/acre/day
4506|kilogramPerM2PerDay|kg per meter pow 2 per day|kg/m^2/day
4507|PoundPerFt2PerSec|pound per feet pow 2 per sec|pound/feet^2/s
4600|gramPerM3PerHour|gram per meter pow 3 per hour|g/m^3/hour
4601|gramPerM3PerDay|gram per meter pow 3 per day|g/m^3/day
4602|gramPerM3PerSec|gram per meter pow 3 per sec|g/m^3/s
4603|MilliGramPerLiterPerDay|mg per liter per day|mg/l/day
4700|m3PerSecPerM|meter pow 3 per sec per meter|m^3/s/m
4701|m3PerYearPerM|meter pow 3 per year per meter|m^3/year/m
4702|m2PerSec|meter pow 2 per sec|m^2/s
4704|ft2PerSec|feet pow 2 per sec|feet^2/s
4706|m3PerSecPer10mm|meter pow 3 per sec per  10mm|m^3/s/*10mm
4707|ft3PerSecPerInch|feet pow 3 per sec per inch|feet^3/s/inch
4708|m2PerHour|meter pow 2 per hour|m^2/hour
4709|m2PerDay|meter pow 2 per day|m^2/day
4710|ft2PerHour|feet pow 2 per hour|feet^2/hour
4711|ft2PerDay|feet pow 2 per day|feet^2/day
4712|GalUKPerDayPerFeet|galUK per day per feet|galUK/day/feet
4713|GalPerDayPerFeet|gallon per day per feet|gallon/day/feet
4714|GalPerMinutePerFeet|gallon per min per feet|gallon/min/feet
4715|LiterPerDayPerMeter|liter per day per meter|l/day/m
4716|LiterPerMinutePerMeter|liter per minute per meter|l/minute/m
4717|LiterPerSecondPerMeter|liter per second per meter|l/s/m
4718|ft3PerSecPerFt|feet pow 3 per sec per feet|feet^3/s/feet
4719|ft3PerHourPerFt|feet pow 3 per hour per feet|feet^3/hour/feet
4720|ft2PerSec2|feet pow 2 per sec pow 2|feet^2/s^2
4721|cm3PerSecPerCm|cm pow 3 per sec per cm|cm^3/s/cm
4722|mm3PerSecPerMm|mm pow 3 per sec per mm|mm^3/s/mm
4723|ftUS3PerSecPerFtUS|feet US pow 3 per sec per feet US|feet*US^3/s/feet*US
4724|in3PerSecPerIn|inch pow 3 per sec per inch|inch^3/s/inch
4725|inUS3PerSecPerInUS|inch US pow 3 per sec per inch US|inch*US^3/s/inch*US
4726|ydUS3PerSecPerydUS|yard US pow 3 per sec per yard US|yard*US^3/s/yard*US
4727|yard3PerSecPeryard|yard pow 3 per sec per yard|yard^3/s/yard
4728|yard3PerYearPeryard|yard pow 3 per year per yard|yard^3/year/yard
4729|ydUS3PerYearPerydUS|yard US pow 3 per year per yard US|yard*US^3/year/yard*US
4730|m3PerHourPerM|m3 per hour per M|m3/hour/M
4731|m3PerDayPerM|m3 per day per M|m3/day/M
4732|ft3PerDayPerFt|feet pow 3 per day per feet|feet^3/day/feet
4801|mmPerDay|millimeter per day|mm/day
4802|inPerDay|inch per day|inch/day
4803|m3PerKm2PerDay|meter pow 3 per km pow 2 per day|m^3/km^2/day
4900|watt|watt|watt
4901|kwatt|kilowatt|kilowatt
4902|mwatt|megawatt|megawatt
4903|gwatt|gigawatt|gigawatt
4904|HorsePower|horsepower|horsepower
5000|perMeter|per meter|per*m
5001|percentPer100meter|percent per  100meter|percent/*100m
5002|percentPer100feet|percent per  100feet|percent/*100feet
5003|perFeet|per feet|per*feet
5004|perInch|per inch|per*inch
5005|perFeetUS|per feet US|per*feet*US
5006|perInchUS|per inch US|per*inch*US
5100|m3PerS2|meter pow 3 per sec 2|m^3/s*2
5200|m2SecPerRad|meter pow 2 sec per rad|m^2*s/rad
5201|m2PerRad|meter pow 2 per rad|m^2/rad
5202|m2Sec|meter pow 2 sec|m^2*s
5203|m2PerDegree|meter pow 2 per deg|m^2/deg
5204|m2Sec2PerRad|meter pow 2 sec pow 2 per rad|m^2*s^2/rad
5205|m2PerSecPerRad|meter pow 2 per sec per rad|m^2/s/rad
5206|m2SecPerDegree|meter pow 2 sec per deg|m^2*s/deg
5207|m2Sec2PerDegree|meter pow 2 sec pow 2 per deg|m^2*s^2/deg
5208|m2PerSecPerDegree|meter pow 2 per sec per deg|m^2/s/deg
5209|ft2PerSecPerRad|feet pow 2 per sec per rad|feet^2/s/rad
5210|ft2PerSecPerDegree|feet pow 2 per sec per deg|feet^2/s/deg
5211|ft2Sec2PerRad|feet pow 2 sec pow 2 per rad|feet^2*s^2/rad
5212|ft2Sec2PerDegree|feet pow 2 sec pow 2 per deg|feet^2*s^2/deg
5213|ft2SecPerRad|feet pow 2 sec per rad|feet^2*s/rad
5214|ft2SecPerDegree|feet pow 2 sec per deg|feet^2*s/deg
5215|ft2PerRad|feet pow 2 per rad|feet^2/rad
5216|ft2PerDegree|feet pow 2 per deg|feet^2/deg
5217|ft2Sec|feet pow 2 sec|feet^2*s
5300|milliGramPerL2OneHalfPerDay| mg per l  pow  1 per 2  per day|*mg/l**pow**1/2*/day
5301|milliGramPerL2OneHalfPerHour| mg per l  pow  1 per 2  per hour|*mg/l**pow**1/2*/hour
5400|NewtonPerSqrMeter|newton per meter pow 2|newton/m^2
5401|kiloNewtonPerSqrMeter|kN per meter pow 2|kN/m^2
5402|PoundPerFeetPerSec2|pound per feet per sec pow 2|pound/feet/s^2
5500|NewtonPerM3|newton per meter pow 3|newton/m^3
5501|kiloNewtonPerM3|kN per meter pow 3|kN/m^3
5550|kilogramM2|kilogram M2|kg*M2
5551|PoundSqrFeet|poundSqrFeet|poundSqrFeet
5600|Joule|joule|joule
5601|kiloJoule|kilojoule|kilojoule
5602|megaJoule|megajoule|megajoule
5603|gigaJoule|gigajoule|gigajoule
5604|teraJoule|terajoule|terajoule
5605|KiloWattHour|kilowatt hour|kilowatt*hour
5606|WattSecond|watt second|watt*s
5607|petaJoule|petajoule|petajoule
5608|exaJoule|exajoule|exajoule
5609|megaWattHour|megawatt hour|megawatt*hour
5610|gigaWattHour|gigawatt hour|gigawatt*hour
5650|perJoule|per joule|per*joule
5651|perKiloJoule|per kJ|per*kJ
5652|perMegaJoule|per MJ|per*MJ
5653|perGigaJoule|per GJ|per*GJ
5654|perTeraJoule|per TJ|per*TJ
5655|perPetaJoule|per PJ|per*PJ
5656|perExaJoule|per EJ|per*EJ
5657|perKiloWattHour|per kWh|per*kWh
5658|perWattSecond|per Ws|per*Ws
5659|perMegaWattHour|per MWh|per*MWh
5660|perGigaWattHour|per GWh|per*GWh
5700|kiloJoulePerM2PerHour|kJ per meter pow 2 per hour|kJ/m^2/hour
5701|kiloJoulePerM2PerDay|kJ per meter pow 2 per day|kJ/m^2/day
5702|megaJoulePerM2PerDay|MJ per meter pow 2 per day|MJ/m^2/day
5703|JoulePerM2PerDay|joule per meter pow 2 per day|joule/m^2/day
5710|m2mmPerKiloJoule|mm per  kJ per meter pow 2 |mm/*kJ/m^2*
5711|m2mmPerMegaJoule|mm per  MJ per meter pow 2 |mm/*MJ/m^2*
5800|MilliMeterPerDegreeCelsiusPerDay|mm per C per day|mm/C/day
5801|MilliMeterPerDegreeCelsiusPerHour|mm per C per hour|mm/C/hour
5802|InchPerDegreeFahrenheitPerDay|inch per F per day|inch/F/day
5803|InchPerDegreeFahrenheitPerHour|inch per F per hour|inch/F/hour
5900|PerDegreeCelsiusPerDay| per C per day|/C/day
5901|PerDegreeCelsiusPerHour| per C per hour|/C/hour
5902|PerDegreeFahrenheitPerDay| per F per day|/F/day
5903|PerDegreeFahrenheitPerHour| per F per hour|/F/hour
6000|DegreeCelsiusPer100meter|Celsius per  100meter|Celsius/*100m
6001|DegreeCelsiusPer100feet|Celsius per  100feet|Celsius/*100feet
6002|DegreeFahrenheitPer100meter|Fahrenheit per  100meter|Fahrenheit/*100m
6003|DegreeFahrenheitPer100feet|Fahrenheit per  100feet|Fahrenheit/*100feet
6100|Pascal|pascal|pascal
6101|hectoPascal|hectopascal|hectopascal
6102|kiloPascal|kilopascal|kilopascal
6103|psi|psi|psi
6104|MegaPascal|megapascal|megapascal
6105|MetresOfWater|MetresWater|MetresWater
6106|FeetOfWater|FeetWater|FeetWater
6107|Bar|bar|bar
6108|milliBar|millibar|millibar
6109|microPascal|micropascal|micropascal
6110|deciBar|decibar|decibar
6150|dB_re_1muPa2second|dB re 1 mu Pa pow 2 sec|dB*re*1*mu*Pa^2*s
6160|dBperLambda|dB per lambda|dB/lambda
6200|PSU|PSU|PSU
6300|PSUM3PerSec|PSU meter pow 3 per sec|PSU*m^3/s
6301|DegreeCelsiusM3PerSec|C meter pow 3 per sec|C*m^3/s
6302|ConcNonDimM3PerSec|non dim meter pow 3 per sec|non*dim*m^3/s
6303|PSUft3PerSec|PSU feet pow 3 per sec|PSU*feet^3/s
6304|DegreeFahrenheitFt3PerSec|F feet pow 3 per sec|F*feet^3/s
6400|m2PerSec2|meter pow 2 per sec pow 2|m^2/s^2
6401|m2PerSec3|meter pow 2 per sec pow 3|m^2/s^3
6402|ft2PerSec3|feet pow 2 per sec pow 3|feet^2/s^3
6403|m2PerSec3PerRad|meter pow 2 per sec pow 3 per rad|m^2/s^3/rad
6404|ft2PerSec3PerRad|feet pow 2 per sec pow 3 per rad|feet^2/s^3/rad
6500|JoulePerKilogram|joule per kg|joule/kg
6600|WattPerM2|watt per meter pow 2|watt/m^2
6700|JouleKilogramPerKelvin|joule kg per K|joule*kg/K
6800|m3PerSec2|meter pow 3 per sec pow 2|m^3/s^2
6801|ft3PerSec2|feet pow 3 per sec pow 2|feet^3/s^2
6802|AcreFeetPerDayPerSecond|AFD per sec|AFD/s
6803|MillionGalUKPerDayPerSecond|IMGD per sec|IMGD/s
6804|MillionGalPerDayPerSecond|MGD per sec|MGD/s
6805|GalPerMinutePerSecond|GPM per sec|GPM/s
6806|CubicMeterPerDayPerSecond|meter pow 3 per day per sec|m^3/day/s
6807|CubicMeterPerHourPerSecond|meter pow 3 per hour per sec|m^3/hour/s
6808|MillionLiterPerDayPerSecond|Ml per day per sec|Ml/day/s
6809|LiterPerMinutePerSecond|liter per min per sec|l/min/s
6810|LiterPerSecondSquare|liter per sec pow 2|l/s^2
6900|m3Pergram|meter pow 3 per gram|m^3/g
6901|LiterPergram|liter per gram|l/g
6902|m3PerMilligram|meter pow 3 per mg|m^3/mg
6903|m3PerMicrogram|meter pow 3 per mu g|m^3/mu*g
7000|Newton|newton|newton
7001|kiloNewton|kilonewton|kilonewton
7002|megaNewton|meganewton|meganewton
7003|milliNewton|millinewton|millinewton
7050|kilogramMeter|kg meter|kg*m
7060|kilogramMeter2|kg meter pow 2|kg*m^2
7070|kilogramMeterPerSecond|kg meter per sec|kg*m/s
7080|kilogramMeter2PerSecond|kg meter pow 2 per sec|kg*m^2/s
7100|m2PerHertz|meter pow 2 per hertz|m^2/Hz
7101|m2PerHertzPerDegree|meter pow 2 per hertz per deg|m^2/Hz/deg
7102|m2PerHertzPerRadian|meter pow 2 per hertz per rad|m^2/Hz/rad
7103|ft2PerHertz|feet pow 2 per hertz|feet^2/Hz
7104|ft2PerHertzPerDegree|feet pow 2 per hertz per deg|feet^2/Hz/deg
7105|ft2PerHertzPerRadian|feet pow 2 per hertz per rad|feet^2/Hz/rad
7200|m2PerHertz2|meter pow 2 per hertz pow 2|m^2/Hz^2
7201|m2PerHertz2PerDegree|meter pow 2 per hertz pow 2 per deg|m^2/Hz^2/deg
7202|m2PerHertz2PerRadian|meter pow 2 per hertz pow 2 per rad|m^2/Hz^2/rad
7500|literPerSecPerMeter|liter per sec per meter|l/s/m
7501|literPerMinPerMeter|liter per min per meter|l/min/m
7502|MegaLiterPerDayPerMeter|Ml per day per meter|Ml/day/m
7503|m3PerHourPerMeter|meter pow 3 per hour per meter|m^3/hour/m
7504|m3PerDayPerMeter|meter pow 3 per day per meter|m^3/day/m
7505|ft3PerSecPerPsi|feet pow 3 per sec per psi|feet^3/s/psi
7506|gallonPerMinPerPsi|gallon per min per psi|gallon/min/psi
7507|MgalPerDayPerPsi|Mgal per day per psi|Mgal/day/psi
7508|MgalUKPerDayPerPsi|MgalUK per day per psi|MgalUK/day/psi
7509|acftPerDayPerPsi|acre feet per day per psi|acre*feet/day/psi
7510|m3PerHourPerBar|m3 per hour per bar|m3/hour/bar
8100|KilogramPerS2|kg per sec pow 2|kg/s^2
9100|m2Perkilogram|meter pow 2 per kg|m^2/kg
9200|PerMeterPerSecond| per meter per sec|/m/s
9201|MeterPerSecondPerHectar|meter per sec per ha|m/s/ha
9202|FeetPerSecondPerAcre|feet per sec per acre|feet/s/acre
9300|PerSquareMeter|per meter pow 2|per*m^2
9301|PerAcre|per acre|per*acre
9302|PerHectar|per hectare|per*hectare
9303|perKm2|per km pow 2|per*km^2
9350|PerCubicMeter|per cubic meter|per*cubic*m
9351|CurrencyPerCubicMeter|currency per meter pow 3|currency/m^3
9352|CurrencyPerCubicFeet|currency per feet pow 3|currency/feet^3
9400|SquareMeterPerSecond|square meter per sec|square*m/s
9401|SquareFeetPerSecond|square feet per sec|square*feet/s
9600|PerWatt|per watt|per*watt
9700|NewtonMeter|newton meter|newton*m
9701|kiloNewtonMeter|kilonewton meter|kilonewton*m
9702|megaNewtonMeter|meganewton meter|meganewton*m
9703|NewtonMillimeter|newton millimeter|newton*mm
9800|NewtonMeterSecond|newton meter second|newton*m*s
9900|NewtonPerMeterPerSecond|newton per meter per sec|newton/m/s
12000|mole|mole|mole
12001|millimole|millimole|millimole
12002|micromole|micromole|micromole
12003|nanomole|nanomole|nanomole
12020|molePerLiter|mole per liter|mole/l
12021|millimolePerLiter|mmol per liter|mmol/l
12022|micromolePerLiter|mu mol per liter|mu*mol/l
12023|nanomolePerLiter|nmol per liter|nmol/l
12024|molePerM3|mole per meter pow 3|mole/m^3
12025|millimolePerM3|mmol per meter pow 3|mmol/m^3
12026|micromolePerM3|mu mol per meter pow 3|mu*mol/m^3
12040|molePerKilogram|mole per kg|mole/kg
12041|millimolePerKilogram|mmol per kg|mmol/kg
12042|micromolePerKilogram|mu mol per kg|mu*mol/kg
12043|nanomolePerKilogram|nmol per kg|nmol/kg
12060|molePerM2|mole per m2|mole/m2
12061|millimolePerM2|millimole per m2|millimole/m2
12062|micromolePerM2|micromole per m2|micromole/m2
12063|nanomolePerM2|nanomole per m2|nanomole/m2
99000|OnePerOne|  |**
99001|PerCent|percent|percent
99002|PerThousand|per thousand|per*thousand
99003|HoursPerDay|hours per day|hours/day
99004|Person|person|person
99005|GramPerGram|gram per gram|g/g
99006|GramPerKilogram|gram per kg|g/kg
99007|MilligramPerGram|mg per gram|mg/g
99008|MilligramPerKilogram|mg per kg|mg/kg
99009|MicrogramPerGram|mu g per gram|mu*g/g
99010|KilogramPerKilogram|kg per kg|kg/kg
99011|M3PerM3|meter pow 3 per meter pow 3|m^3/m^3
99012|LiterPerM3|liter per meter pow 3|l/m^3
99013|intCode|Integer|Integer
99014|MeterPerMeter|meter per meter|m/m
99015|perminute|per minute|per*minute
99016|permonth|per month|per*month
99017|peryear|per year|per*year
99018|MilliliterPerLiter|ml per liter|ml/l
99019|MicroliterPerLiter|mu l per liter|mu*l/l
99020|PerMillion|per million|per*million
99021|gAcceleration|g acceleration|g*acceleration
99100|ampere|ampere|ampere
99101|MilliAmpere|milliampere|milliampere
99102|microAmpere|microampere|microampere
99103|kiloAmpere|kiloampere|kiloampere
99104|megaAmpere|megaampere|megaampere
99150|volt|volt|volt
99151|milliVolt|millivolt|millivolt
99152|microVolt|microvolt|microvolt
99153|kiloVolt|kilovolt|kilovolt
99154|megaVolt|megavolt|megavolt
99180|ohm|ohm|ohm
99181|kiloOhm|kOhm|kOhm
99182|megaOhm|Mohm|Mohm
99200|WattPerMeter|watt per meter|watt/m
99201|kiloWattPerMeter|kW per meter|kW/m
99202|megaWattPerMeter|MW per meter|MW/m
99203|gigaWattPerMeter|GW per meter|GW/m
99204|kiloWattPerFeet|kW per feet|kW/feet
99220|WattPerMeterPerDegreeCelsius|watt per meter per degree celsius|watt/m/degree*celsius
99221|WattPerFeetPerDegreeFahrenheit|watt per feet per degree fahrenheit|watt/feet/degree*fahrenheit
99250|siemens|siemens|siemens
99251|milliSiemens|millisiemens|millisiemens
99252|microSiemens|microsiemens|microsiemens
99260|siemensPerMeter|siemens per meter|siemens/m
99261|milliSiemensPerCentimeter|mS per cm|mS/cm
99262|microSiemensPerCentimeter|mu S per cm|mu*S/cm
99263|kilogramPerSecPerM|kg per  meter sec |kg/*m*s*
99264|Centipoise|cPoise|cPoise
99265|PoundforceSecPerSqrFt|lbf sec per feet pow 2|lbf*s/feet^2
99266|PoundFeetPerSec|pound per  sec feet |pound/*s*feet*
`;

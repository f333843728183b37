/**
 * Items of DHI's EUM tables (Engineering Unit Management, `EUM.xml` as it comes with MIKE Zero and with mikecore).
 * A line an item: code, identifier without `eumI`, name, codes of the allowed units with the default first (`*`: any
 * unit).
 */
export const EUM_ITEMS = `\
999|ItemUndefined|Undefined|*
100000|WaterLevel|Water Level|1000,1001,1007,1002,1003,1014,1004,1013,1005,1016,1006,1015
100001|Discharge|Discharge|1800,1816,1801,1817,1814,1815,1810,1805,1804,1821,1818,1820,1819,1803,1823,1802
100002|WindVelocity|Wind Velocity|2000,2002,2020,2021,2019
100003|WindDirection|Wind Direction|2401
100004|Rainfall|Rainfall|1002,1004,1003,1006,1000,1007
100005|Evaporation|Evaporation|1002,1004,1003,1006,1000,1007
100006|Temperature|Temperature|2800,2801,2802
100007|Concentration|Concentration|2201,2202,2203,2200,2204,2205,2206,2207,2216,2217,2218,2219,2208
100008|BacteriaConc|Bacteria Concentration|3000,3001,3002
100009|ResistFactor|Resistance factor|99000
100010|SedimentTransport|Sediment Transport|1800,1801,1831,1802,1803,1804,1805,1810,1814,1833,1815,1834,1816,1817,1832,1818,1819,1820,1821,1823,1829,1830
100011|BottomLevel|Bottom level|1000,1003,1014
100012|BottomLevelChange|Bottom level change|2000,2006,2002,2036
100013|SedimentFraction|Sediment fraction|99001,99000
100014|SedimentFractionChange|Sediment fraction change|2601
100015|GateLevel|Gate Level|1000,1007,1003,1004
100016|FlowVelocity|Flow velocity|2000,2023,2017,2002,2036,2011,2035
100017|Density|Density|2200,2203,2207,2216,2217,2218,2219
100018|DamBreachLevel|Dam breach level|1000,1003,1014
100019|DamBreachWidth|Dam breach width|1000,1003,1014
100020|DamBreachSlope|Dam breach slope|99000
100021|SunShine|Sunshine|99003
100022|SunRadiation|Sun radiation|6600,5703,5700,5701,5702
100023|RelativeHumidity|Relative humidity|99001,99000
100024|Salinity|Salinity|6200,99002
100025|SurfaceSlope|Surface Slope|99000
100026|FlowArea|Flow Area|3200,3203
100027|FlowWidth|Flow Width|1000,1003
100028|HydraulicRadius|Hydraulic Radius|1000,1003
100029|ResistanceRadius|Resistance Radius|1000,1003
100030|ManningsM|Mannings M|3600,3601
100031|Manningsn|Mannings n|3800,3801
100032|ChezyNo|Chezy No|4000,4001,4002
100033|Conveyance|Conveyance|1800,1801,1831
100034|FroudeNo|Froude No|99000
100035|WaterVolume|Water Volume|1600,1601,1609,1606,1607,1603,1604,1608,1610
100036|FloodedArea|Flooded Area|3200,3203,3202
100037|WaterVolumeError|Water Volume Error|1600,1601,1609,1606,1607,1603,1604,1608,1610
100038|AccWaterVolumeError|Acc Water Volume Error|1600,1603
100039|CompMass|Component Mass|1200,1201,1202,1203,1204,1207,1209
100040|CompMassError|Component Mass Error|1200,1201,1202,1203,1207,1209
100041|AccCompMassError|Acc Component Mass Error|1200,1201,1202,1203,1204,1205,1206
100042|RelCompMassError|Relative Component Mass Error|99002
100043|RelAccCompMassError|Relative Acc Component Mass Error|99002
100044|CompDecay|Component Decay|4200,4203,4202,4201,4215
100045|AccCompDecay|Acc Component Decay|1200,1201,1202,1203,1204,1205,1206
100046|CompTransp|Component Transport|4200,4203,4202,4201,4215
100047|AccCompTransp|Acc Component Transport|1200,1201,1202,1203,1204,1205,1206
100048|CompDispTransp|Component Disp Transport|4200,4203,4202,4201,4215
100049|AccCompDispTransp|Acc Component Disp Transport|1200,1201,1202,1203,1204,1205,1206
100050|CompConvTransp|Component Conv Transport|4200,4203,4202,4201,4215
100051|AccCompConvTransp|Acc Component Conv Transport|1200,1201,1202,1203,1204,1205,1206
100052|AccSedimentTransport|Acc Sediment transport|1600,1615,1614
100053|DuneLength|Dune length|1000,1003
100054|DuneHeight|Dune height|1000,1003,1014,1015,1006
100055|BedSedimentLoad|Bed sediment load|1800,1801,1831,1830,1835,1814,1836
100056|SuspSedimentLoad|Suspended sediment load|1800,1814,1836,1801,1831,1830,1829
100057|Irrigation|Irrigation|1002
100058|RelMoistureCont|Relative moisture content|99000
100059|GroundWaterDepth|Ground water depth|1000
100060|SnowCover|Snow Water Content|1002,1000,1004,1003
100061|Infiltration|Infiltration|2001,2004,2016,2018,2000,2006,2009,2014,2031,4802,2030,2002,2040
100062|Recharge|Recharge|2001,2004,2018,2000,2006,2009,2016,2014,2040
100063|OF1_Flow|OF1 Flow|2001
100064|IF1_Flow|IF1 Flow|2001
100065|CapillaryFlux|CapillaryFlux|2001
100066|SurfStorage_OF1|SurfStorage OF1|1002
100067|SurfStorage_OF0|SurfStorage OF0|1002
100068|SedimentLayer|Sediment layer|3201,3207,3214,3213,3212
100069|BedLevel|Bed level|1000,1007,1003,1014,1004,1013
100070|RainfallIntensity|Rainfall Intensity|2001,2016,2000,2004,2031,2018,4802,2030
100071|productionRate|Production rate|4204
100072|sedimentMass|Sediment mass|4400
100073|primaryProduction|Primary production|4500
100074|prodPerVolume|Vol specific prod rate|4600
100075|secchiDepth|Secchi depth|1000,1003
100076|AccSedimentMass|Acc Sediment Mass|1204,1200,1208
100077|SedimentMassPerM|Sediment Mass per m|4401,4431,4432,4433,4434,4435,4436,4437,4438
100078|SurfaceElevation|Surface Elevation|1000,1001,1007,1002,1003,1014,1004,1013,1005,1016,1006,1015
100079|Bathymetry|Bathymetry|1000,1001,1007,1002,1003,1014,1004,1013,1005,1016,1006,1015
100080|FlowFlux|Flow Flux|4700,4721,4722,4718,4723,4724,4725
100081|BedLoadPerM|Bed sediment load per m|4700,4726,4727
100082|SuspLoadPerM|Suspended load per m|4700,4727,4726
100083|SediTransportPerM|Sediment transport per m|4700,4701,4726,4727
100084|WaveHeight|Wave height|1000,1003,1014
100085|WavePeriod|Wave period|1400
100086|WaveFrequency|Wave frequency|2602
100087|PotentialEvapRate|Potential evaporation rate|4801,4802
100088|RainfallRate|Rainfall rate|4801,4802,2000
100089|WaterDemand|Water Flow|1800,1802,1803,1804,1801,1821,1805,1819,1818,1823,1820,1810
100090|ReturnFlowFraction|Return Flow Fraction|99000
100091|LinearRoutingCoef|Linear Routing Coefficient|1403
100092|SpecificRunoff|Specific runoff|2003,2005,4801,2007,2030
100093|MachineEfficiency|Machine Efficiency|99001
100094|TargetPower|Target power|4900,4901,4902,4903
100095|WaveDirection|Wave direction|2400,2401
100096|AccSediTransportPerM|Accumulated transport per meter|3201,3212,3213
100097|SignificantWaveHeight|Significant wave height|1000,1003
100098|ShieldsParameter|Critical Shields parameter|99000
100099|AngleBedVelocity|AngleBedVelocity|2400,2401
100100|ProfileNumber|Profile number|99000
100101|ClimateNumber|Climate number|99000
100102|SpectralDescription|Spectral description|99000
100103|SpreadingFactor|Spreading factor|99000
100104|RefPointNumber|Reference point number|99000
100105|WindFrictionFactor|Wind friction factor|99000
100106|WaveDisturbanceCoefficient|Wave Disturbance Coefficient|99000
100107|TimeFirstWaveArrival|Time of first wave arrival|1400
100108|SurfaceCurvature|Surface Curvature|5000,5003,5005
100109|RadiationStress|Radiation Stress|5100
100120|SpectralDensity|Spectral density|5200,5213
100121|FreqIntegSpectralDensity|Frequency integrated spectral density|5201,5215
100122|DirecIntegSpectralDensity|Directional integrated spectral density|5202,5217
100123|Viscosity|Viscosity|4702,4704
100124|DSD|Standard deviation DSD|2400,2401
100125|BeachPosition|Beach position|1000,1003,1014,1006,1015
100126|TrenchPosition|Trench position|1000
100127|GrainDiameter|Grain diameter|1000,1002,1004
100128|FallVelocity|Settling velocity|2000,2002,2036,2011,2035,2023,2017
100129|GeoDeviation|Geometrical deviation|99000
100130|BreakingWave|Breaking wave|99013
100131|DunePosition|Dune position|1000,1003,1014,1006,1015
100132|ContourAngle|Contour angle|2400,2401
100133|FlowDirection|Flow direction|2400,2401
100134|BedSlope|Bed slope|99000
100135|SurfaceArea|Surface area|3200,3204,3205,3202,3203
100136|CatchmentArea|Catchment area|3205,3204,3200,3206,3202,3203
100137|Roughness|Roughness|1000,1002,1004,1003,1010
100138|ActiveDepth|Active Depth|1000,1003,1014,1006,1015
100139|SedimentGradation|Sediment Gradation|99000
100140|GroundwaterRecharge|Groundwater recharge|2003,2005,4801,2007
100141|SoluteFlux|Solute flux|4200,4201,4202,4203,4204,4205,4207
100142|RiverStructGeo|River structure geometry|1000,1003,1004
100143|RiverChainage|River chainage|1000,1001,1003,1005
100144|NonDimFactor|Dimensionless factor|99000
100145|NonDimExp|Dimensionless exponent|99000
100146|StorageDepth|Storage depth|1002,1000,1004,1003
100147|RiverWidth|River width|1000,1003
100148|FlowRoutingTimeCnst|Flow routing time constant|1402,1403
100149|FstOrderRateAD| 1st order rate AD model|2603,2600
100150|FstOrderRateWQ| 1st order rate WQ model|2600,2603,2605
100151|EroDepoCoef|Erosion deposition coefficient|4500,4501,4503
100152|ShearStress|Shear stress|5400,5401,5402
100153|DispCoef|Dispersion coefficient|4702,4704
100154|DispFact|Dispersion factor|4702,4704
100155|SedimentVolumePerLengthUnit|Sediment volume per length unit|3201,3207,3214,3212,3213
100157|LatLong|Latitude longitude|2401,2400
100158|SpecificGravity|Specific gravity|5500,5501
100159|TransmissionCoefficient|Transmission coefficient|99000
100160|ReflectionCoefficient|Reflection coefficient|99000
100161|FrictionFactor|Friction factor|99000
100162|RadiationIntensity|Radiation intensity|5700,5701,5702,6600
100163|Duration|Duration|1402,1403
100164|RespProdPerArea|Respiration production per area|4500,4501
100165|RespProdPerVolume|Respiration production per volume|4601,4600
100166|SedimentDepth|Sediment depth|1000,1003
100167|AngleOfRespose|Angle of repose|2401,2400
100168|HalfOrderRateWQ|Half order rate WQ model|5300,5301
100169|RearationConstant|Rearation constant|2600,2603
100170|DepositionRate|Deposition rate|2006,2008,2009
100171|BODAtRiverBed|BOD at river bed|4400
100172|CropDemand|Crop demand|2000,2004,2003,2007,2005,2009,4802
100173|IrrigatedArea|Irrigated area|3200,3202,3204,3205,3206
100174|LiveStockDemand|Livestock demand|1806,1807,1808
100175|NumberOfLiveStock|Number of livestock|99000
100176|TotalGas|Total Gas|99001
100177|GroundWaterAbstraction|Ground water abstraction|2010,2004,2009,4802
100178|MeltingCoefficient|Melting coefficient|5800,5801,5802,5803
100179|RainMeltingCoefficient|Rain melting coefficient per degree per time|5900,5901,5902,5903
100180|Elevation|Elevation|1000,1003,1014
100181|CrossSectionXdata|Cross section X data|1000,1003,1014
100182|VegetationHeight|Vegetation height|1000,1003
100183|GeographicalCoordinate|Geographical coordinate|1000,1001,1003,1005,1006,1014,1016,1015
100184|Angle|Angle|2400,2401
100185|ItemGeometry0D|ItemGeometry0D|1000,1001,1007,1002,1003,1014,1004,1013,1005,1016,1006,1015
100186|ItemGeometry1D|ItemGeometry1D|1000,1001,1007,1002,1003,1014,1004,1013,1005,1016,1006,1015
100187|ItemGeometry2D|ItemGeometry2D|1000,1001,1007,1002,1003,1014,1004,1013,1005,1016,1006,1015
100188|ItemGeometry3D|ItemGeometry3D|1000,1001,1007,1002,1003,1014,1004,1013,1005,1016,1006,1015
100189|TemperatureLapseRate|Temperature lapse rate|6000,6001,6003,6002
100190|CorrectionOfPrecipitation|Correction of precipitation|5001,5002
100191|TemperatureCorrection|Temperature correction|2900,2901
100192|PrecipitationCorrection|Precipitation correction|99001
100193|MaxWater|Max Water|99001
100194|LowerBaseflow|Lower Baseflow|99001
100195|MassFlux|Mass flux|4200,4206,4205,4215,4203,4202,4201,4220
100196|PressureSI|Pressure2|6100,6101,6108
100197|TurbulentKineticEnergy|Turbulent kinetic energy|6400,4720
100198|DissipationTKE|Dissipation of TKE|6401,6402
100199|SaltFlux|Salt Flux|6300,6303
100200|TemperatureFlux|Temperature Flux|6301,6304
100201|Concentration1|Concentration Non Dim|99000,99002,99007,99018,99020,99008,99019
100202|LatentHeat|Latent Heat|6500
100203|HeatFlux|Heat Flux|6600
100204|SpecificHeat|Specific Heat|6700
100205|Visibility|Visibility|1001,1005
100206|IceThickness|Ice thickness|1000,1007,1006,1003,1004
100207|StructureGeometryPerTime|Structure geometry   time|2000,2002,2011,2012,2013,2014,2008,2015,2016,2001
100208|DischargePerTime|Discharge   time|6800,6801
100209|FetchLength|Fetch length|1000,1003,1001,1009
100210|RubbleMound|Rubble mound|1000,1003
100211|GridSpacing|Grid Spacing|1000,1003,1014
100212|TimeStep|TimeStep|1400,1401,1402,1403,1405,1404
100213|LengthScale|Length Scale|1000,1003
100214|ErosionCoefficientFactor|Erosion Coefficient Factor|4602
100215|FrictionCoeffient|Friction Coefficient|4702,4704
100216|TransitionRate|Transition Rate|4501
100217|Distance|Distance|1000,1003,1001,1005
100218|TimeCorrectionAtNoon|Time Correction At Noon|1402,1401,1403,1400
100219|CriticalVelocity|Critical Velocity|2000,2002,2036
100220|LightExtinctionBackground|Light Extinction Background|5000,5003
100221|ParticleProductionRate|Particle Production Rate|4500
100222|FirstOrderGrazingRateDependance|First Order Grazing Rate Dependance|6900
100223|ResuspensionRate|Resuspension Rate|4500
100224|AdsorptionCoefficient|Adsorption Coefficient|2600
100225|DesorptionCoefficient|Desorption Coefficient|2600
100226|SedimentationVelocity|Sedimentation Velocity|2006,2002,2036
100227|BoundaryLayerThickness|Boundary Layer Thickness|1002
100228|DiffusionCoefficient|Diffusion Coefficient|4702,4704
100229|BioconcentrationFactor|Bioconcentration Factor|6901
100230|FcoliConcentration|Fcoli Concentration|3001,3000
100231|SpecificDischarge|Specific Discharge|2000,2002,2027,2026,2025,2024,2041,2042,2029,2030,2028
100232|Precipitation|Precipitation|1800,1801
100233|SpecificPrecipitation|Specific Precipitation|2000,2002,2001,4801,2016,2014
100234|Power|Power|4900,4901,4902,4903,4904
100235|ConveyanceLoss|Conveyance Loss|1800,1801,1831
100236|InfiltrationFlux|Infiltration Flux|1800,1801,1816,1821,1810,1805,1817,1814,1815,1818,1819,1820
100237|EvaporationFlux|Evaporation Flux|1800,1801
100238|GroundWaterAbstractionFlux|Ground Water Abstraction Flux|1800,1801
100239|Fraction|Fraction|99000,99001
100240|Yieldfactor|Yield Factor|99000
100241|SpecificSoluteFluxPerArea|Specific Solute Flux per Area|4501,4500,4502,4504,4507,4505
100242|CurrentSpeed|Current Speed|2000,2023,2017,2002,2036,2011,2035,2019
100243|CurrentDirection|Current Direction|2400,2401
100244|CurrentMagnitude|Current Magnitude|2000,2002,2036
100245|PistonPosition|First Order Piston Position|1000,1003
100246|SubPistonPosition|Subharmonic Piston Position|1000,1003
100247|SupPistonPosition|Superharmonic Piston Position|1000,1003
100248|FlapPosition|First Order Flap Position|1000,1003
100249|SubFlapPosition|Subharmonic Flap Position|1000,1003
100250|SupFlapPosition|Superharmonic Flap Position|1000,1003
100251|LengthZeroCrossing|Length Zero Crossing|1000,1003
100252|TimeZeroCrossing|Time Zero Crossing|1400,1401
100253|LengthLoggedData|Length Logged Data|1000,1003
100254|ForceLoggedData|Force Logged Data|7000
100255|SpeedLoggedData|Speed Logged Data|2000,2002
100256|VolumeFlowLoggedData|Volume Flow Logged Data|1800,1801
100257|2DSurfaceElevationSpectrum| 2D Surface Elevation Spectrum|7100,7103
100258|3DSurfaceElevationSpectrum| 3D Surface Elevation Spectrum|7101,7102,7104,7105
100259|DirectionalSpreadingFunction|Directional Spreading Function|2401,2400
100260|AutoSpectrum|Auto Spectrum|7100,7103
100261|CrossSpectrum|Cross Spectrum|7100,7103
100262|CoherenceSpectrum|Coherence Spectrum|99000
100263|CoherentSpectrum|Coherent Spectrum|7100,7103
100264|FrequencyResponseSpectrum|Frequency Response Spectrum|99000,2401,2400
100265|PhaseSpectrum|Phase Spectrum|2401,2400
100266|FIRCoefficient|FIR Filter coefficient|99000
100267|FourierACoefficient|Fourier a Coefficient|1000,1003
100268|FourierBCoefficient|Fourier b Coefficient|1000,1003
100269|uVelocity|u velocity component|2000,2023,2017,2002,2036,2011,2035,2019
100270|vVelocity|v velocity component|2000,2023,2017,2002,2036,2011,2035,2019
100271|wVelocity|w velocity component|2000,2023,2017,2002,2036,2011,2035,2019
100272|BedThickness|Bed Thickness|1000,1002,1003,1014,1004,1013
100273|DispersionVelocityFactor|Dispersion Velocity Factor|1000,1003
100274|WindSpeed|Wind speed|2000,2002,2019,2021,2020
100275|ShoreCurrentZone|Shore Current Zone|1000,1003
100276|DepthofWind|Depth of Wind|1000,1003
100277|EmulsificationConstantK1|Emulsification Constant K1|2200
100278|EmulsificationConstantK2|Emulsification Constant K2|8100
100279|LightExtinction|Light Extinction|9100
100280|WaterDepth|Water Depth|1000,1001,1007,1002,1003,1014,1004,1013,1005,1016,1006,1015
100281|ReferenceSettlingVelocity|Reference settling velocity|2017,2002
100282|PhaseError|Phase Error|1402
100283|LevelAmplitudeError|Level Amplitude Error|1000,1003
100284|DischargeAmplitudeError|Discharge Amplitude Error|1800,1801
100285|LevelCorrection|Level Correction|1000,1003
100286|DischargeCorrection|Discharge Correction|1800,1801
100287|LevelSimulated|Level Simulated|1000,1003
100288|DischargeSimulated|Discharge Simulated|1800,1801
100289|SummQCorrected|Summ Q Corrected|1800,1801
100290|TimeScale|Time Scale|1400,1401,1402,1403
100291|SpongeCoefficient|Sponge Coefficient|99000
100292|PorosityCoefficient|Porosity Coefficient|99000
100293|FilterCoefficient|Filter Coefficient|99000
100294|Skewness|Skewness|99000
100295|Asymmetry|Asymmetry|99000
100296|Atiltness|Atiltness|99000
100297|Kurtosis|Kurtosis|99000
100298|AuxiliaryVariableW|Auxiliary variable w|5000
100299|RollerThickness|Roller Thickness|1000,1003,1014,1006,1015
100300|LineThickness|Line Thickness|1002,1007,1004
100301|MarkerSize|Marker Size|1002,1007,1004
100302|RollerCelerity|Roller Celerity|2000,2002,2036
100303|EncroachmentOffset|Encroachment offset|1000,1003
100304|EncroachmentPosition|Encroachment position|1000,1003
100305|EncroachmentWidth|Encroachment width|1000,1003
100306|ConveyanceReduction|Conveyance reduction|99001
100307|WaterLevelChange|Water level change|1000,1003
100308|EnergyLevelChange|Energy level change|1000,1003
100309|ParticleVelocityU|Horizontal particle velocity|2000
100310|ParticleVelocityV|Vertical particle velocity|2000
100311|AreaFraction|Area fraction|99001
100312|CatchmentSlope|Catchment slope|99002
100313|AverageLength|Average length|1000,1001,1003,1005,1006
100314|PersonEqui|PE|99000
100315|InverseExpo|Inverse exponent|2602
100316|TimeShift|Time shift|1402
100317|Attenuation|Attenuation|5000
100318|Population|Population|99004
100319|IndustrialOutput|Industrial output|2604
100320|AgriculturalArea|Agricultural area|3205,3204,3200,3202,3203
100321|PopulationUsage|Population usage|1809
100322|IndustrialUse|Industrial use|1611
100323|AgriculturalUsage|Agricultural usage|4803
100324|LayerThickness|Layer Thickness|1002,1007,1000,1004,1003
100325|SnowDepth|Snow Depth|1002,1000,1004
100326|SnowCoverPercentage|Snow Cover Percentage|99001
100353|PressureHead|Pressure Head|1000,1003
100354|KC|Crop Coefficient|99000,99001
100355|Aroot|Aroot Kristensen and Jensen|5000,5003,5004
100356|C1|C1 Kristensen and Jensen|99000
100357|C2|C2 Kristensen and Jensen|99000
100358|C3|C3 Kristensen and Jensen|4801,4802
100359|IrrigationDemand|Irrigation Demand|2001,2004,2008,2000,2009,2016,2040
100360|HydrTransmissivity|Transmissivity|4702,4708,4709,4704,4710,4711
100361|DarcyVelocity|Darcy Velocity|2004,2001,2018,2000,2006,2009,2037,2016,2038,2014,2039,4802
100362|HydrLeakageCoefficient|Leakage Coeff Drain Time Const|2605,2603,2600,2608,2609
100363|HydrConductance|Conductance|4702,4704
100364|HeightAboveGround|Height Above Ground|1000,1007,1003,1004
100365|PumpingRate|Pumping Rate|1800,1810,1805,1801,1814,1815,1811,1812,1813
100366|DepthBelowGround|Depth Below Ground|1000,1007,1003,1004
100367|CellHeight|Cell Height|1000,1007,1003,1014,1004,1013
100368|HeadGradient|Head Gradient|99000,99001
100369|GroundWaterFlowVelocity|Ground Water Flow Velocity|2001,2018,2000,2006,2009,2016,2014
100370|IntegerCode|Grid Codes|99013
100371|DrainageTimeConstant|Drainage Time Constant|2603,2605,2600
100372|HeadElevation|Head Elevation|1000,1003
100373|LengthError|Length Error|5000,5003,5004
100374|ElasticStorage|Storage Coefficient|5000,5003,5004
100375|SpecificYield|Specific Yield|99000,99001
100376|ExchangeRate|Exchange Rate|2001,2018,2000,2006,2009,2016,2014,2004,4802
100377|VolumetricWaterContent|Volumetric Water Content|99000,99001
100378|StorageChangeRate|Storage Change Rate|2001,2018,2000,2006,2009,2016,2014,2004,4802
100379|Seepage|Seepage|2001,2018,2000,2006,2009,2016,2014
100380|RootDepth|Root Depth|1002,1007,1000,1004,1003
100381|RillDepth|Rill Depth|1002,1007,1000,1004,1003
100382|Logical|Logical|99000
100383|LAI|Leaf Area Index|99000,99001
100384|IrrigationRate|Irrigation Rate|2001,2018,2000,2006,2009,2016,2014,2004,4802,2040
100385|IrrigationIndex|Irrigation Index|99000
100386|Interception|Interception|1002,1007,1004,1003
100387|ETRate|Evapotranspiration Rate|2004,2001,2018,2000,2006,2009,2016,2014,4802,2040
100388|ErosionSurfaceLoad|Erosion Surface Load|4402,4400
100389|ErosionConcentration|Erosion Concentration|99011,99012
100390|EpsilonUZ|Epsilon UZ|1002,1007,1004,1003
100391|Drainage|Drainage|2001,2018,2016,2015
100392|Deficit|Deficit|1002,1007,1004,1003
100393|CropYield|Crop Yield|4403,4400,4402,4406,4408,4410,2210,4407,4409,2209,4405,4411,2220,2221,4412,4413,4414,4415,4416,4417,4418,4419,4420,4421,4422,4423
100394|CropType|Crop Type|99013
100395|CropStress|Crop Stress|99000
100396|CropStage|Crop Stage|99013
100397|CropLoss|Crop Loss|4502,4501
100398|CropIndex|Crop Index|99000
100399|Age|Age|1403,1404,1402,1400
100400|HydrConductivity|Conductivity|2000,2006,2018,2009,2016,2014
100401|PrintScaleEquivalence|Print Scale Equivalence|1007,1002,1004
100402|Concentration_1|Concentration 1|2203,2205,2206,2200
100403|Concentration_2|Concentration 2|2200,2205,2206,2203,2207,2214,2212,2213,2216,2217,2218,2219
100404|Concentration_3|Concentration 3|2205,2203,2204,2206,2200
100405|Concentration_4|Concentration 4|99005,99006,99007,99008,99009,99010
100406|SedimentDiameter|Sediment diameter|1002,1000,1008,1004
100407|MeanWaveDirection|Mean Wave Direction|2401,2400
100408|FlowDirection_1|Flow Direction 1|2401,2400
100409|AirPressure|Air Pressure|6101,6108
100410|DecayFactor|Decay Factor|2605
100411|SedimentBedDensity|Sediment Bed Density|2203,2200,2207,2216,2217,2218,2219
100412|DispersionCoefficient|Dispersion Coefficient|4702,4704
100413|FlowVelocityProfile|Velocity Profile|2000,2002
100414|HabitatIndex|Habitat Index|99000
100415|Angle2|Angles|2401,2400
100416|HydraulicLength|Hydraulic Length|1001,1000,1005
100417|SCSCatchSlope|SCS Catchment slope|99001
100418|Turbidity_FTU|Turbidity FTU|99000
100419|Turbidity_MgPerL|Turbidity MgPerL|2205
100420|BacteriaFlow|Bacteria Flow|2606,2600,2607
100421|BedDistribution|Bed Distribution|99001
100422|SurfaceElevationAtPaddle|Surface Elevation at Paddle|1000
100423|UnitHydrographOrdinate|Unit Hydrograph Response|4706,4707
100424|TransferRate|Transfer Rate|4503,4507
100425|ReturnPeriod|Return period|1404
100426|ConstFallVelocity|Constant Settling Velocity|2000,2002,2036
100427|DepositionConcFlux|Deposition Concentration Flux|1800,1801
100428|SettlingVelocityCoef|Settling Velocity Coefficient|2000,2002,2036
100429|ErosionCoefficient|Erosion Coefficient|4503
100430|VolumeFlux|Volume Flux|1800,1816,1801,1817,1814,1815,1810,1805,1804,1821,1818,1820,1819,1803,1823,1802
100431|PrecipitationRate|Precipitation Rate|2004,2001,2018,2000,2006,2009,2016,2014,4802,2040
100432|EvaporationRate|Evaporation Rate|2004,2001,2018,2000,2006,2009,2016,2014,4802,2040
100433|CoSpectrum|Co Spectrum|7100,7103
100434|QuadSpectrum|Quad Spectrum|7100,7103
100435|PropagationDirection|Propagation Direction|2401,2400
100436|DirectionalSpreading|Directional Spreading|2401,2400
100437|MassPerUnitArea|Mass per Unit Area|4400,2210,4402,4404,2211,2209,4405,2220,2221
100438|IncidentSpectrum|Incident Spectrum|7100,7103
100439|ReflectedSpectrum|Reflected Spectrum|7100,7103
100440|ReflectionFunction|Reflection Function|99000
100441|BacteriaFlux|Bacteria Flux|3401,3402
100442|HeadDifference|Head Difference|1000,1003
100443|energy|Energy|5604,5603,5602,5601,5600,5607,5608,5605,5609,5610
100444|DirStdDev|Directional Standard Deviation|2401,2400
100445|RainfallDepth|Rainfall Depth|1002,1004,1000,1008,1007,1003,1011
100446|GroundWaterAbstractionDepth|Ground Water Abstraction Depth|1002,1004,1000,1008,1007,1003,1011
100447|EvaporationIntesity|Evapo Transpiration|2001,2000,2004,2031,2018,4802,2016,2030
100448|LongitudinalInfiltration|Longitudinal Infiltration|4700,4730,4731,4718,4719,4732,4701,4704,4708,4709,4710,4711,4712,4713,4714,4715,4716,4717
100449|PollutantLoad|Pollutant Load|4205,4200,4201,4202,4203,4204,4206,4208,4212,4213,4214,4215,4217,4218,4207
100450|Pressure|Pressure|6100,6105,6106,6101,6102,6104,6103,5400,6107,6108,6110
100451|CostPerTime|Cost per Time|2604
100452|Mass|Mass|1201,1200,1204,1202,1203
100453|MassPerTime|Mass per Time|4206,4205,4203,4200,4212
100454|MassPerAreaPerTime|Mass per Area per Time|4500,4506,4501,4503,4504,4505
100455|Kd|Kd|6900,6902,6903
100456|Porosity|Porosity|99000,99001
100457|HalfLife|Half Life|1404,1405,1403,1402,1400
100458|Dispersivity|Dispersivity|1000,1003
100459|FrictionCoeffientcfw|Friction Coefficient cfw|2000,2002
100460|Waveamplitude|Wave amplitude|1000,1003
100461|SedimentGrainDiameter|Sediment grain diameter|1002,1000,1004
100463|SedimentSpill|Sediment spill|99001,99000
100464|NumberOfParticles|Number of Particles|99013
100500|EllipsoidalHeight|Ellipsoidal height|1000,1001,1003,1005,1006,1014,1016,1015
100501|Cloudiness|Cloudiness|99000
100502|Probability|Probability|99000
100503|DispersantActivity|Activity of Dispersant|99000
100504|DredgeRate|Dredge Rate|4200,4204,4205,4215,4213,4212,4203,4208,4206,4219
100505|DredgeSpill|Dredge Spill|99001,99000
100506|ClearnessCoefficient|Clearness Coefficient|99001,99000
100507|ProfileOrientation|Coastline Orientation|2401
100508|ReductionFactor|Reduction Factor|99000
100509|ActiveBeachHeight|Active Beach Height|1000,1003,1014,1006,1015
100510|UpdatePeriod|Update Period|1402
100511|AccumulatedErosion|Accumulated Erosion|1000,1003
100512|ErosionRate|Erosion Rate|2006,2009,2000,2002
100513|NonDimTransport|Non dimensional Transport|99000
100514|LocalCoordinate|Local coordinate|1000,1003
100515|RadiiOfGyration|Radii of Gyration|1000,1003,1002
100516|Percentage|Percentage|99001,99000
100517|LineCapacity|Line Capacity|1204,1200,1207,1209
110001|Diverteddischarge|Diverted discharge|6302,1801,1800
110002|Demandcarryoverfraction|Demand carry over fraction|99000
110003|Groundwaterdemand|Groundwater demand|1800,1801
110004|Damcrestlevel|Dam crest level|1000,1003,1014
110005|Seepageflux|Seepage flux|1800,1801
110006|Seepagefraction|Seepage fraction|99000
110007|Evaporationfraction|Evaporation fraction|99000
110008|Residencetime|Residence time|1402,1403
110009|Ownedfractionofinflow|Owned fraction of inflow|99000
110010|Ownedfractionofvolume|Owned fraction of volume|99000
110011|Reductionlevel|Reduction level|1000,1003
110012|Reductionthreshold|Reduction threshold|99000
110013|Reductionfraction|Reduction fraction|99000
110014|TotalLosses|Total losses|2001,2016,2000,2004,2031,2018,4802,2030
110015|CountsPerLiter|Counts per liter|3002,3003,3004
110016|AssimilativeCapacity|Assimilative Capacity|4219,4202,4203,4200,4205
110017|StillWaterDepth|Still Water Depth|1000,1003
110018|TotalWaterDepth|Total Water Depth|1000,1003
110019|MaxWaveHeight|Maximum wave height|1000,1003
110020|IceConcentration|Ice concentration|99000
110021|WindFrictionSpeed|Wind friction speed|2000,2002,2019
110022|RoughnessLength|Roughness length|1000,1003
110023|WindDragCoefficient|Drag coefficient|99000
110024|CharnockConstant|Charnock constant|99000
110025|BreakingParameterGamma|Breaking parameter Gamma|99000
110026|ThresholdPeriod|Threshold period|1400
110027|CourantNumber|Courant number|99000
110028|TimeStepFactor|Time step factor|99000
110029|ElementLength|Element length|1000,1003
110030|ElementArea|Element area|3200,3203,3202
110031|RollerAngle|Roller angle|2401
110032|RateBedLevelChange|Rate of bed level change|2006,2009,2037
110033|BedLevelChange|Bed level change|1000,1003,1014
110034|SedimentTransportDirection|Sediment transport direction|2401
110035|WaveActionDensity|Wave action density|5204,5207,5211,5212
110036|ZeroMomentWaveAction|Zero moment of wave action|5201,5203,5215,5216
110037|FirstMomentWaveAction|First moment of wave action|5205,5208,5209,5210
110038|BedMass|Bed Mass|4402,2209,2215,2220,2221
110039|EPANETWaterQuality|Water Quality|99000
110040|EPANETStatus|Status|99000
110041|EPANETSetting|Setting|99000
110042|EPANETReactionRate|Reaction Rate|99000
110043|FRDischarge|Fast Runoff Discharge|1800,1801,1802,1803,1804,1805,1810,1814,1815,1816,1817,1818,1819,1820,1821,1823
110044|SRDischarge|Slow Runoff Discharge|1800,1801,1802,1803,1804,1805,1810,1814,1815,1816,1817,1818,1819,1820,1821,1823
110045|AveSediTransportPerLengthUnit|Average Sediment Transport per length unit|4701,4728,4729
110046|ValveSetting|Valve Setting|99001,99000
110047|WaveEnergyDensity|Wave energy density|5200,5206,5213,5214
110048|WaveEnergyDistribution|Wave energy distribution|5201,5203,5215,5216
110049|WaveEnergy|Wave energy|3200,3202,3203
110050|RadiationMeltingCoefficient|Radiation Melting Coefficient|5710,5711
110051|RainMeltingCoefficientPerDegree|Rain melting coefficient|2850,2851
110052|EPANETFriction|Friction|99000
110053|WaveActionDensityRate|Wave action density rate|6403,6404
110054|ElementAreaLongLat|Element area long lat|2403
110100|ElectricCurrent|Electric Current|99100,99101,99102,99103,99104
110200|HeatFluxResistance|Heat Flux Resistance|3100
110210|AbsoluteHumidity|Absolute Humidity|2200,2203,2202,2201,2206,2205,2204,2207,2216,2217,2218,2219
110220|Length|Length|1000,1007,1002,1008,1001,1003,1004,1006,1005,1009
110225|Area|Area|3200,3202,3203,3204,3205,3206,3208,3209,3210,3211
110230|Volume|Volume|1600,1601,1602,1603,1604,1605,1606,1607,1608,1609,1612,1613
110231|ElementVolume|Element Volume|1600,1603
110232|WavePower|Wave Power|99201,99200,99202,99203,99204
110233|MomentOfInertia|Moment of Inertia|5550,5551
110234|Topography|Topography|1000,1001,1007,1002,1003,1014,1004,1013,1005,1016,1006,1015
110235|ScourDepth|Scour Depth|1000,1001,1007,1002,1003,1014,1004,1013,1005,1016,1006,1015
110236|ScourWidth|Scour Width|1000,1001,1007,1002,1003,1014,1004,1013,1005,1016,1006,1015
110237|CostPerVolume|Cost per Volume|3003,3002,3004,3008,3011,3005,3006,3007,3009,3010,3014,3015,3012,3013
110238|CostPerEnergy|Cost per Energy|5650,5651,5652,5653,5654,5655,5656,5657,5658,5659,5660
110239|CostPerMass|Cost per Mass|1250,1251,1252,1253,1254,1255,1256,1257,1259,1258
110240|ApplicationIntensity|Application Intensity|4403,4400,4402,4406,4408,4410,2210,4407,4409,2209,4405,4411,2220,2221,4412,4413,4414,4415,4416,4417,4418,4419,4420,4421,4422,4423,4424,4404,4425,4426,4427,4428
110241|Cost|Cost|99000
110242|Voltage|Voltage|99150,99151,99152,99153,99154
110243|NormalVelocity|Normal Velocity|2000,2023,2017,2002,2036,2011,2035
110244|Gravity|Gravity|2100,2101
110245|VesselDisplacement|Vessel Displacement|1600,1601,1604,1603,1615
110246|HydrostaticMatrix|Hydrostatic Matrix|99000
110247|WaveNumber|Wave Number|5000,5003
110248|RadiationPotential|Radiation Potential|1000,1001,1007,1002,1003,1014,1004,1013,1005,1016,1006,1015
110249|AddedMassTT|Added Mass TT|1200,1207,1209,1204
110250|RadiationDamping|Radiation Damping|99000
110251|Frequency|Frequency|2602
110252|SoundExposureLevel|Sound Exposure Level|6150
110253|TransmissionLoss|Transmission Loss|6150
110254|pH|pH|99000
110255|AcousticAttenuation|Acoustic Attenuation|6160
110256|SoundSpeed|Sound Speed|2000,2002,2019,2021,2020
110257|Leakage|Leakage|2001,2004,2016,2018,2000,2006,2009,2014,2031,4802,2030,2002
110258|HeightAboveKeel|Height Above Keel|1000,1003
110259|SubmergedMass|Submerged Mass|4401,4429,4430
110260|Deflection|Deflection|1000,1003
110261|LinearDampingCoefficient|Linear Damping Coefficient|4200,4215,4220
110262|QuadraticDampingCoefficient|Quadratic Damping Coefficient|4401,4429,4430
110263|DampingTT|Damping TT|4200,4215,4220
110264|RAOmotion|RAO Motion|99014
110265|RAOrotation|RAO Rotation|2500,2501
110266|AddedMassCoefficient|Added Mass Coefficient|99000
110267|ElectricConductivity|Electrical Conductivity|99261,99262,99260
110268|AddedMassTR|Added Mass TR|7050
110269|AddedMassRT|Added Mass RT|7050
110270|AddedMassRR|Added Mass RR|7060
110271|DampingTR|Damping TR|7070
110272|DampingRT|Damping RT|7070
110273|DampingRR|Damping RR|7080
110274|FenderForce|Fender Force|7001,7002,7000
110275|Force|Force|7000,7001,7002,7003
110276|Moment|Moment|9700,9701,9702,9703
110277|ReducedPollutantLoad|Reduced Pollutant Load|4205,4200,4201,4202,4203,4204,4206,4208,4212,4213,4214,4215,4217,4218,4207
110278|SizeAndPosition|Size and Position|1002,1007,1004
110279|FrameRate|Frame Rate|2605
110280|DynamicViscosity|Dynamic Viscosity|99263,99264,99265,99266
110281|GridRotation|Grid Rotation|2400,2401
110282|AgentDensity|Agent Density|9303,9300,9301,9302
110283|EmitterCoefficient|Emitter Coefficient|7500,7501,7502,7503,7504,7505,7506,7507,7508,7509
110284|PipeDiameter|Pipe Diameter|1002,1007,1000,1003,1014,1004,1013
110285|Speed|Speed|2000,2023,2017
110286|Velocity|Velocity|2000,2023,2017
110287|Direction|Direction|2401,2400
110288|Displacement|Displacement|1000,1007,1002,1001
110289|Position|Position|1000,1007,1002,1001
110290|Rotation|Rotation|2401,2400
110291|Torque|Torque|9700,9701,9702,9703
110292|Overtopping|Overtopping|3215,3201
110293|FlowRate|Flow Rate|1800,1819,1821
110294|Acceleration|Acceleration|2100
110295|DimensionlessAcceleration|Dimensionless Acceleration|99021
110296|Time|Time|1400,1401,1402,1406
110297|Resistance|Resistance|99180,99181,99182
110298|AmountOfSubstance|Amount of Substance|12000,12001,12002,12003
110299|MolarConcentration|Molar Concentration|12020,12021,12022,12023,12024,12025,12026
110300|MolalConcentration|Molal Concentration|12040,12041,12042,12043
110301|SuspSedimentLoadPerArea|Suspended sediment load per area|2030,2029,2043,2044,2027,2026,2025,2024,2041,2042,2003
110302|BollardForce|Bollard Force|7001,7002,7000
110303|DischargePerPressure|Discharge per Pressure|7510,7506
110304|RotationalSpeed|RotationalSpeed|2610,2614,2615
110305|InfiltrationPerArea|Infiltration per Area|9201,9202
110306|MassPerLengthPerTime|Mass per Length per Time|2302,2303,2304,2305,2306,2307,2308
110307|NearBedLoadPerLength|NearBedLoad per Length|2300,2309,2310,2311,2312
110308|SubstancePerUnitArea|Substance per UnitArea|12060,12061,12062,12063
110309|AccNearBedLoadPerLength|AccNearBedLoad per Length|4401,4439,4440,4432,4431
110310|ThermalConductivity|ThermalConductivity|99220,99221
110311|DirectionalVariance|DirectionalVariance|2404,2403
110312|SpecificDissipationRate|SpecificDissipationRate|2605
`;
